"""The HTTP proxy that containers reach the outside through."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from sizewell.config.base import ConfigModel, fault
from sizewell.config.effects import OnChange, OnItems

_MAX_PORT = 65_535

#: Of the whole.
ON_PROXY = OnChange(
    added="containers without network isolation call through it",
    removed="containers without network isolation call directly",
)


class Proxy(ConfigModel):
    """The proxy of a company, without credentials: whoever may describe a model or a job reads its variables."""

    url: Annotated[
        str,
        Field(
            pattern=r"^https?://[^\s/?#]+:[0-9]{1,5}/?$",
            max_length=300,
            examples=["http://proxy.example.com:3128"],
        ),
        OnChange("containers without network isolation call through another proxy"),
    ]
    """The address of the proxy with its port; HTTP_PROXY and HTTPS_PROXY, also in lower case, of every container without
    network isolation. The security groups let the port out."""
    bypass: Annotated[
        tuple[
            Annotated[
                str,
                Field(
                    # Programs do not agree on more than that: few know wildcards, or ports.
                    pattern=r"^\.?[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(/[0-9]{1,2})?$",
                    max_length=253,
                    examples=[".example.com"],
                ),
            ],
            ...,
        ],
        Field(max_length=50),
        OnItems(lost="{items} {are} called through the proxy", gained="{items} {are} called directly"),
    ] = ()
    """Hosts, domains that begin with a dot, addresses and ranges that are called directly (NO_PROXY), beside the container
    itself, its credentials and, in a new VPC, the AWS services with an endpoint in it."""

    @property
    def port(self) -> int:
        """The TCP port."""
        return int(self.url.rstrip("/").rpartition(":")[2])

    @model_validator(mode="after")
    def _address_is_usable(self) -> Self:
        if "@" in self.url:
            raise fault(
                "url",
                "names a user: whoever may describe the model or the job reads it; remove it, and let the proxy admit the "
                "subnets of the VPC",
            )
        if not 1 <= self.port <= _MAX_PORT:
            raise fault("url", f"{self.port} is no port: take one of 1 to {_MAX_PORT:,}")
        return self

    @model_validator(mode="after")
    def _hosts_differ(self) -> Self:
        for index, host in enumerate(self.bypass):
            if host in self.bypass[:index]:
                raise fault(f"bypass.{index}", f"{host} stands twice")
        return self
