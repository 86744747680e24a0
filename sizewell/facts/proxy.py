"""Variables by which programs find a proxy, and addresses that no proxy may stand before."""

#: Programs differ in which of two they read: curl http_proxy in lower case only, others HTTP_PROXY.
URL_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
BYPASS_VARIABLES = ("NO_PROXY", "no_proxy")
PROXY_VARIABLES = (*URL_VARIABLES, *BYPASS_VARIABLES)
#: The container itself, the metadata of the instance, and the credentials of the container's role; the addresses are
#: link-local, so that a proxy cannot reach them (https://docs.aws.amazon.com/AmazonECS/latest/developerguide/http_proxy_config.html).
NEVER_PROXIED = ("localhost", "127.0.0.1", "169.254.169.254", "169.254.170.2")
