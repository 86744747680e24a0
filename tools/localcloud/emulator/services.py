"""The services that the plugin brings."""

from tools.localcloud.emulator.application_autoscaling import APPLICATION_AUTOSCALING
from tools.localcloud.emulator.json_service import JsonService
from tools.localcloud.emulator.sagemaker.service import SAGEMAKER

SERVICES: tuple[JsonService, ...] = (SAGEMAKER, APPLICATION_AUTOSCALING)
