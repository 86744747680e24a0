"""By what pods scale that work off a queue of Amazon SQS: https://keda.sh/docs/2.18/scalers/aws-sqs/."""

from sizewell.targets.eks.manifests.deployments import scaled_object
from sizewell.targets.eks.manifests.labels import Manifest, manifest
from sizewell.targets.eks.queue_worker.plan_model import EksQueueWorkerPlan
from sizewell.targets.serving.plan_model import ReplicaScalingPlan


def trigger_authentication(plan: EksQueueWorkerPlan) -> Manifest:
    """Return that KEDA asks the queue with the role of its own operator, which the owner of the cluster lets do that.

    With the role of the workload it can only where that is bound by an annotation of the service account (IRSA), not by EKS Pod
    Identity: https://keda.sh/docs/2.18/authentication-providers/aws/.
    """
    return manifest(
        "keda.sh/v1alpha1",
        "TriggerAuthentication",
        plan.name,
        plan,
        spec={"podIdentity": {"provider": "aws"}},
    )


def scaled_by_queue(plan: EksQueueWorkerPlan, scaling: ReplicaScalingPlan, region: str) -> Manifest:
    """Return the scaler.

    Without an answer of the queue, and without a fallback, KEDA changes nothing (pkg/scaling/executor/scale_scaledobjects.go).
    """
    trigger = {
        "type": "aws-sqs-queue",
        "metricType": "AverageValue",
        "metadata": {
            "queueURL": plan.queue.url,
            "queueLength": f"{scaling.target_value:.0f}",
            "awsRegion": region,
            # Those that a pod works on count, or it would be taken away.
            "scaleOnInFlight": "true",
        },
        "authenticationRef": {"name": plan.name},
    }
    # The last pod goes after this; of several, the HorizontalPodAutoscaler waits as long.
    return scaled_object(plan, scaling, trigger, cooldownPeriod=scaling.scale_in_cooldown_s)
