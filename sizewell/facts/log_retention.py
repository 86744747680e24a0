"""How long CloudWatch Logs can keep logs."""

from typing import Literal

#: Retention periods that CloudWatch Logs accepts, in days (API reference: PutRetentionPolicy).
LogRetentionDays = Literal[
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653
]
