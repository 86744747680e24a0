"""The services that the plugin brings."""

from sizewell.localcloud.emulator.application_autoscaling import APPLICATION_AUTOSCALING
from sizewell.localcloud.emulator.codedeploy import CODEDEPLOY
from sizewell.localcloud.emulator.json_service import JsonService
from sizewell.localcloud.emulator.sagemaker.service import SAGEMAKER

SERVICES: tuple[JsonService, ...] = (SAGEMAKER, APPLICATION_AUTOSCALING, CODEDEPLOY)
