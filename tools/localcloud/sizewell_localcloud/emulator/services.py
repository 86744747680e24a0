"""The services that the plugin brings."""

from sizewell_localcloud.emulator.application_autoscaling import APPLICATION_AUTOSCALING
from sizewell_localcloud.emulator.batch.service import BATCH
from sizewell_localcloud.emulator.codedeploy import CODEDEPLOY
from sizewell_localcloud.emulator.json_service import JsonService
from sizewell_localcloud.emulator.sagemaker.service import SAGEMAKER
from sizewell_localcloud.emulator.service_quotas import SERVICE_QUOTAS

SERVICES: tuple[JsonService, ...] = (SAGEMAKER, APPLICATION_AUTOSCALING, CODEDEPLOY, BATCH, SERVICE_QUOTAS)
