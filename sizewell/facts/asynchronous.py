"""How long a request of an asynchronous endpoint may wait and be worked on, and how its instances wake.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpointAsync.html, read 2026-11-23
"""

from sizewell.facts.serving_modes import Mode, limit

#: InvocationTimeoutSeconds, which a caller states: 1 to 3600, 900 where it does not.
MAX_PROCESSING_S = int(limit(Mode.ASYNCHRONOUS, "max_processing_s"))
DEFAULT_PROCESSING_S = 900
#: RequestTTLSeconds, which a caller states: 60 to 21,600, which is also what holds where it does not.
MIN_TIME_IN_QUEUE_S, MAX_TIME_IN_QUEUE_S = 60, 21_600
#: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_AsyncInferenceClientConfig.html
MAX_CONCURRENT_INVOCATIONS = 1000
#: From a request to an instance that works on it, where none is there, and from the last answer until none is there.
WAKE_S = limit(Mode.ASYNCHRONOUS, "start_minutes") * 60
IDLE_S = limit(Mode.ASYNCHRONOUS, "idle_minutes") * 60
