"""What an API server refuses, written down from the documentation before there was any rule.

Each row changes one field of ``legal_manifests.yaml``. The API server, or the admission webhook of the controller that owns
the kind, refuses the result although each value has the type that the schema asks for. Rows about pods of the "restricted"
namespace are refused when the pod is created. A row is no promise of a rule: ``test_legality.py`` counts which ones are caught.
"""

from dataclasses import dataclass

from tests.targets.eks.mutations import DELETED


@dataclass(frozen=True)
class Refused:
    manifest: str
    path: str
    value: object
    page: str
    """Below https://kubernetes.io/docs/, or a whole address."""


NAMES = "concepts/overview/working-with-objects/names/"
LABELS = "concepts/overview/working-with-objects/labels/"
ANNOTATIONS = "concepts/overview/working-with-objects/annotations/"
NAMESPACES = "concepts/overview/working-with-objects/namespaces/"
OBJECTS = "concepts/overview/working-with-objects/"
POD = "reference/kubernetes-api/workload-resources/pod-v1/"
RESOURCES = "concepts/configuration/manage-resources-containers/"
GPUS = "tasks/manage-gpus/scheduling-gpus/"
DEVICES = "concepts/extend-kubernetes/compute-storage-net/device-plugins/"
QUANTITY = "reference/kubernetes-api/common-definitions/quantity/"
PROBES = "tasks/configure-pod-container/configure-liveness-readiness-startup-probes/"
INIT = "concepts/workloads/pods/init-containers/"
SIDECARS = "concepts/workloads/pods/sidecar-containers/"
HOOKS = "concepts/containers/container-lifecycle-hooks/"
VOLUMES = "concepts/storage/volumes/"
CONFIG_MAP = "concepts/configuration/configmap/"
DOWNWARD = "concepts/workloads/pods/downward-api/"
DEPLOYMENT = "concepts/workloads/controllers/deployment/"
JOB = "concepts/workloads/controllers/job/"
CRON_JOB = "concepts/workloads/controllers/cron-jobs/"
SERVICE = "concepts/services-networking/service/"
POLICY = "concepts/services-networking/network-policies/"
DISRUPTION = "tasks/run-application/configure-pdb/"
TAINTS = "concepts/scheduling-eviction/taint-and-toleration/"
NODES = "concepts/scheduling-eviction/assign-pod-node/"
SPREAD = "concepts/scheduling-eviction/topology-spread-constraints/"
SECURITY_CONTEXT = "tasks/configure-pod-container/security-context/"
POD_SECURITY = "concepts/security/pod-security-standards/"
KARPENTER = "https://karpenter.sh/docs/concepts/nodepools/"
NODE_CLASS = "https://karpenter.sh/docs/concepts/nodeclasses/"
KEDA = "https://keda.sh/docs/latest/reference/scaledobject-spec/"
KEDA_WEBHOOK = "https://keda.sh/docs/latest/concepts/admission-webhooks/"
JOB_SET = "https://jobset.sigs.k8s.io/docs/reference/jobset.v1alpha2/"
PROMETHEUS = "https://prometheus-operator.dev/docs/platform/webhook/"

BERT, TOKENIZER, SCORING = "Deployment support-bert", "Deployment tokenizer", "Job nightly-scoring"
BERT_SERVICE, BERT_SCALER = "Service support-bert", "ScaledObject support-bert"
BERT_POOL = "NodePool support-bert"
WEEKLY, TRAINIUM_POOL = "CronJob weekly-training", "NodePool trainium"
BERT_POLICY, BERT_BUDGET = "NetworkPolicy support-bert", "PodDisruptionBudget support-bert"
POD_SPEC = "spec template spec"
SERVER = f"{POD_SPEC} containers 0"
FETCH, LOG = f"{POD_SPEC} initContainers 0", f"{POD_SPEC} initContainers 1"
HOSTS = "spec replicatedJobs 0 template spec"
RUN = "spec jobTemplate spec"
RUN_POD, FAILURES = f"{RUN} template spec", f"{RUN} podFailurePolicy rules"
CONTAINER = {"name": "server", "image": "registry.example.com/again:1"}

REFUSED: tuple[Refused, ...] = (
    Refused(BERT, "metadata name", "Support_BERT", NAMES),
    Refused(BERT, "metadata name", "-support-bert", NAMES),
    Refused(BERT, "metadata name", DELETED, OBJECTS),
    Refused(BERT, "metadata name", "b" * 254, NAMES),
    Refused(BERT_SERVICE, "metadata name", "support.bert", NAMES),
    Refused(BERT_SERVICE, "metadata name", "b" * 64, NAMES),
    Refused("Namespace ml", "metadata name", "ml.prod", NAMES),
    Refused("ConfigMap support-bert-engine", "metadata name", "engine_1", NAMES),
    Refused(SCORING, "metadata name", "s" * 64, JOB),
    Refused(BERT, "kind", "Deploymnt", OBJECTS),
    Refused(BERT, "apiVersion", "extensions/v1beta1", "reference/using-api/deprecation-guide/"),
    Refused("ServiceAccount training", "metadata namespace", "nowhere", NAMESPACES),
    Refused(BERT, "metadata labels a/b/c", "x", LABELS),
    Refused(BERT, "metadata labels example.com/", "x", LABELS),
    Refused(BERT, "metadata labels Example.com/team", "x", LABELS),
    Refused(BERT, f"metadata labels {'k' * 64}", "x", LABELS),
    Refused(BERT, "metadata labels team", "b" * 64, LABELS),
    Refused(BERT, "metadata labels team", "machine learning", LABELS),
    Refused(BERT, "metadata labels team", "ml-", LABELS),
    Refused(BERT, "metadata labels gpu", True, LABELS),
    Refused(BERT, "metadata annotations _note", "x", ANNOTATIONS),
    Refused(BERT, "metadata annotations price", 1.006, ANNOTATIONS),
    Refused(BERT, f"{POD_SPEC} containers", [], POD),
    Refused(BERT, f"{SERVER} name", "Server_1", POD),
    Refused(BERT, f"{POD_SPEC} containers +", CONTAINER, POD),
    Refused(BERT, f"{FETCH} name", "server", INIT),
    Refused(BERT, f"{SERVER} image", DELETED, POD),
    Refused(BERT, f"{SERVER} image", " registry.example.com/bert:1", POD),
    Refused(BERT, f"{SERVER} imagePullPolicy", "Sometimes", "concepts/containers/images/"),
    Refused(BERT, f"{SERVER} terminationMessagePolicy", "Log", POD),
    Refused(BERT, f"{POD_SPEC} dnsPolicy", "Cluster", "concepts/services-networking/dns-pod-service/"),
    Refused(BERT, f"{POD_SPEC} dnsPolicy", "None", "concepts/services-networking/dns-pod-service/"),
    Refused(BERT, f"{POD_SPEC} terminationGracePeriodSeconds", -1, POD),
    Refused(BERT, f"{POD_SPEC} hostAliases", [{"ip": "ten", "hostnames": ["a"]}], POD),
    Refused(BERT, f"{SERVER} ports 0 containerPort", 0, POD),
    Refused(BERT, f"{SERVER} ports 0 containerPort", 70000, POD),
    Refused(BERT, f"{SERVER} ports 0 name", "http-of-the-model", POD),
    Refused(BERT, f"{SERVER} ports 1 name", "8080", POD),
    Refused(BERT, f"{SERVER} ports 1 name", "METRICS", POD),
    Refused(BERT, f"{SERVER} ports 1 name", "http", POD),
    Refused(BERT, f"{SERVER} ports 0 protocol", "HTTP", POD),
    Refused(BERT, f"{SERVER} env 0 name", "MODEL=DIR", POD),
    Refused(BERT, f"{SERVER} env 0 name", "", POD),
    Refused(BERT, f"{SERVER} env 1 value", 32, POD),
    Refused(BERT, f"{SERVER} env 1 value", True, POD),
    Refused(BERT, f"{SERVER} env 2 value", "x", POD),
    Refused(BERT, f"{SERVER} env 2 valueFrom", {}, POD),
    Refused(BERT, f"{SERVER} env 2 valueFrom secretKeyRef", {"name": "a", "key": "b"}, POD),
    Refused(BERT, f"{SERVER} env 2 valueFrom fieldRef fieldPath", "metadata.nam", DOWNWARD),
    Refused(BERT, f"{SERVER} env 2 valueFrom", {"resourceFieldRef": {"resource": "limits.gpu"}}, DOWNWARD),
    Refused(BERT, f"{SERVER} volumeMounts 0 name", "models", VOLUMES),
    Refused(BERT, f"{SERVER} volumeMounts 1 mountPath", "/opt/ml/model", VOLUMES),
    Refused(BERT, f"{SERVER} volumeMounts 1 mountPath", "", VOLUMES),
    Refused(BERT, f"{SERVER} volumeMounts 1 mountPath", "/tmp:rw", VOLUMES),
    Refused(BERT, f"{SERVER} volumeMounts 2 subPath", "../engine.yaml", VOLUMES),
    Refused(BERT, f"{POD_SPEC} volumes 1 name", "model", VOLUMES),
    Refused(BERT, f"{POD_SPEC} volumes 1 name", "Scratch_1", VOLUMES),
    Refused(BERT, f"{POD_SPEC} volumes 1 configMap", {"name": "support-bert-engine"}, VOLUMES),
    Refused(BERT, f"{POD_SPEC} volumes 1 emptyDir sizeLimit", "-1Gi", VOLUMES),
    Refused(BERT, f"{POD_SPEC} volumes 2 configMap name", DELETED, CONFIG_MAP),
    Refused(BERT, f"{POD_SPEC} volumes 2 configMap defaultMode", 1000, CONFIG_MAP),
    Refused(BERT, f"{POD_SPEC} volumes 2 configMap items 0 path", "../engine.yaml", CONFIG_MAP),
    Refused(BERT, f"{SERVER} resources requests cpu", "100 m", QUANTITY),
    Refused(BERT, f"{SERVER} resources requests cpu", "-1", QUANTITY),
    Refused(BERT, f"{SERVER} resources requests memory", "12GiB", QUANTITY),
    Refused(BERT, f"{SERVER} resources requests memory", "1.5.1Gi", QUANTITY),
    Refused(BERT, f"{SERVER} resources requests memory", "16Gi", RESOURCES),
    Refused(BERT, f"{SERVER} resources limits cpu", "2", RESOURCES),
    Refused(BERT, f"{SERVER} resources requests ephemeral-storage", "21Gi", RESOURCES),
    Refused(BERT, f"{SERVER} resources limits nvidia.com/gpu", 2, GPUS),
    Refused(BERT, f"{SERVER} resources limits nvidia.com/gpu", DELETED, GPUS),
    Refused(TOKENIZER, f"{SERVER} resources limits nvidia.com/gpu", "0.5", RESOURCES),
    Refused(TOKENIZER, f"{SERVER} resources limits nvidia.com/gpu", "500m", RESOURCES),
    Refused(TOKENIZER, f"{SERVER} resources limits nvidia.com/gpu", "one", QUANTITY),
    Refused(TOKENIZER, f"{SERVER} resources limits gpu", 1, DEVICES),
    Refused(TOKENIZER, f"{SERVER} resources limits kubernetes.io/gpu", 1, DEVICES),
    Refused(BERT, f"{SERVER} livenessProbe exec", {"command": ["true"]}, PROBES),
    Refused(BERT, f"{SERVER} livenessProbe httpGet", DELETED, PROBES),
    Refused(BERT, f"{SERVER} livenessProbe successThreshold", 2, PROBES),
    Refused(BERT, f"{SERVER} startupProbe successThreshold", 3, PROBES),
    Refused(BERT, f"{SERVER} readinessProbe periodSeconds", -5, PROBES),
    Refused(BERT, f"{SERVER} startupProbe failureThreshold", -1, PROBES),
    Refused(BERT, f"{SERVER} livenessProbe httpGet port", 70000, PROBES),
    Refused(BERT, f"{SERVER} readinessProbe httpGet port", "HTTP_PORT", PROBES),
    Refused(BERT, f"{SERVER} readinessProbe httpGet scheme", "TCP", PROBES),
    Refused(BERT, f"{SERVER} readinessProbe terminationGracePeriodSeconds", 10, PROBES),
    Refused(TOKENIZER, f"{SERVER} readinessProbe exec command", [], PROBES),
    Refused(BERT, f"{FETCH} readinessProbe", {"exec": {"command": ["true"]}}, INIT),
    Refused(BERT, f"{LOG} restartPolicy", "Sometimes", SIDECARS),
    Refused(BERT, f"{SERVER} lifecycle preStop exec", {"command": ["true"]}, HOOKS),
    Refused(BERT, f"{SERVER} lifecycle preStop sleep seconds", 90, HOOKS),
    Refused(BERT, f"{SERVER} securityContext runAsUser", -1, SECURITY_CONTEXT),
    Refused(BERT, f"{SERVER} securityContext privileged", True, SECURITY_CONTEXT),
    Refused(BERT, f"{POD_SPEC} securityContext seccompProfile type", "Default", SECURITY_CONTEXT),
    Refused(BERT, f"{POD_SPEC} securityContext seccompProfile type", "Localhost", SECURITY_CONTEXT),
    Refused(BERT, f"{POD_SPEC} restartPolicy", "Sometimes", DEPLOYMENT),
    Refused(BERT, f"{POD_SPEC} restartPolicy", "OnFailure", DEPLOYMENT),
    Refused(BERT, f"{POD_SPEC} activeDeadlineSeconds", 600, DEPLOYMENT),
    Refused(BERT, "spec selector matchLabels app.kubernetes.io/name", "bert", DEPLOYMENT),
    Refused(BERT, "spec selector", {}, DEPLOYMENT),
    Refused(BERT, "spec selector matchExpressions 0 operator", "Equals", LABELS),
    Refused(BERT, "spec selector matchExpressions 0 values", [], LABELS),
    Refused(BERT, "spec template metadata labels", DELETED, DEPLOYMENT),
    Refused(BERT, "spec strategy rollingUpdate maxUnavailable", 0, DEPLOYMENT),
    Refused(BERT, "spec strategy rollingUpdate maxUnavailable", "150%", DEPLOYMENT),
    Refused(BERT, "spec strategy rollingUpdate maxSurge", "ten", DEPLOYMENT),
    Refused(BERT, "spec strategy rollingUpdate maxSurge", -1, DEPLOYMENT),
    Refused(BERT, "spec strategy type", "Rolling", DEPLOYMENT),
    Refused(BERT, "spec strategy type", "Recreate", DEPLOYMENT),
    Refused(TOKENIZER, "spec replicas", -1, DEPLOYMENT),
    Refused(BERT, "spec minReadySeconds", -1, DEPLOYMENT),
    Refused(BERT, "spec minReadySeconds", 1800, DEPLOYMENT),
    Refused(BERT, "spec revisionHistoryLimit", -1, DEPLOYMENT),
    Refused(SCORING, f"{POD_SPEC} restartPolicy", DELETED, JOB),
    Refused(SCORING, f"{POD_SPEC} restartPolicy", "Always", JOB),
    Refused(SCORING, f"{POD_SPEC} restartPolicy", "OnFailure", JOB),
    Refused(SCORING, "spec backoffLimit", -1, JOB),
    Refused(SCORING, "spec completions", -1, JOB),
    Refused(SCORING, "spec parallelism", -1, JOB),
    Refused(SCORING, "spec parallelism", 100001, JOB),
    Refused(SCORING, "spec completionMode", "indexed", JOB),
    Refused(SCORING, "spec completionMode", "NonIndexed", JOB),
    Refused(SCORING, "spec completions", DELETED, JOB),
    Refused(SCORING, "spec backoffLimitPerIndex", DELETED, JOB),
    Refused(SCORING, "spec activeDeadlineSeconds", -1, JOB),
    Refused(SCORING, "spec ttlSecondsAfterFinished", -1, JOB),
    Refused(SCORING, "spec selector", {"matchLabels": {"app.kubernetes.io/name": "nightly-scoring"}}, JOB),
    Refused(SCORING, "spec podFailurePolicy rules 1 action", "Retry", JOB),
    Refused(SCORING, "spec podFailurePolicy rules 1 onPodConditions", DELETED, JOB),
    Refused(SCORING, "spec podFailurePolicy rules 0 onExitCodes values", [0], JOB),
    Refused(SCORING, "spec podFailurePolicy rules 0 onExitCodes containerName", "scorer", JOB),
    Refused(SCORING, "metadata name", "s" * 62, JOB),
    Refused(WEEKLY, "metadata name", "w" * 53, CRON_JOB),
    Refused(WEEKLY, "metadata name", "Weekly_Training", CRON_JOB),
    Refused(WEEKLY, "apiVersion", "batch/v1beta1", CRON_JOB),
    Refused(WEEKLY, "spec schedule", DELETED, CRON_JOB),
    Refused(WEEKLY, "spec schedule", "", CRON_JOB),
    Refused(WEEKLY, "spec schedule", "30 2 * *", CRON_JOB),
    Refused(WEEKLY, "spec schedule", "30 2 * * 7", CRON_JOB),
    Refused(WEEKLY, "spec schedule", "60 2 * * 0", CRON_JOB),
    Refused(WEEKLY, "spec schedule", "30 24 * * 0", CRON_JOB),
    Refused(WEEKLY, "spec schedule", "30 2 0 * *", CRON_JOB),
    Refused(WEEKLY, "spec schedule", "30 2 * 13 *", CRON_JOB),
    Refused(WEEKLY, "spec schedule", "30 2 L * *", CRON_JOB),
    Refused(WEEKLY, "spec schedule", "30 4-2 * * *", CRON_JOB),
    Refused(WEEKLY, "spec schedule", "cron(30 2 ? * SUN *)", CRON_JOB),
    Refused(WEEKLY, "spec schedule", "CRON_TZ=UTC 30 2 * * 0", CRON_JOB),
    Refused(WEEKLY, "spec schedule", "@weekends", CRON_JOB),
    Refused(WEEKLY, "spec timeZone", "Europe/Berln", CRON_JOB),
    Refused(WEEKLY, "spec timeZone", "Local", CRON_JOB),
    Refused(WEEKLY, "spec timeZone", "", CRON_JOB),
    Refused(WEEKLY, "spec concurrencyPolicy", "Never", CRON_JOB),
    Refused(WEEKLY, "spec startingDeadlineSeconds", -1, CRON_JOB),
    Refused(WEEKLY, "spec successfulJobsHistoryLimit", -1, CRON_JOB),
    Refused(WEEKLY, "spec failedJobsHistoryLimit", -1, CRON_JOB),
    Refused(WEEKLY, "spec jobTemplate", DELETED, CRON_JOB),
    Refused(WEEKLY, f"{RUN} activeDeadlineSeconds", -1, JOB),
    Refused(WEEKLY, f"{RUN} backoffLimit", -1, JOB),
    Refused(WEEKLY, f"{RUN} ttlSecondsAfterFinished", -1, JOB),
    Refused(WEEKLY, f"{RUN} selector", {"matchLabels": {"a": "b"}}, JOB),
    Refused(WEEKLY, f"{RUN} podReplacementPolicy", "TerminatingOrFailed", JOB),
    Refused(WEEKLY, f"{RUN} podReplacementPolicy", "Never", JOB),
    Refused(WEEKLY, f"{RUN} podFailurePolicy", {}, JOB),
    Refused(WEEKLY, f"{FAILURES} 0 action", "Retry", JOB),
    Refused(WEEKLY, f"{FAILURES} 0 action", "FailIndex", JOB),
    Refused(WEEKLY, f"{FAILURES} 0 onPodConditions", DELETED, JOB),
    Refused(WEEKLY, f"{FAILURES} 0 onPodConditions 0 type", DELETED, JOB),
    Refused(WEEKLY, f"{FAILURES} 0 onPodConditions 0 status", "Yes", JOB),
    Refused(WEEKLY, f"{FAILURES} 0 onExitCodes", {"operator": "In", "values": [1]}, JOB),
    Refused(WEEKLY, f"{FAILURES} 1 onExitCodes containerName", "main", JOB),
    Refused(WEEKLY, f"{FAILURES} 1 onExitCodes operator", "Except", JOB),
    Refused(WEEKLY, f"{FAILURES} 1 onExitCodes values", [], JOB),
    Refused(WEEKLY, f"{FAILURES} 1 onExitCodes values", [143, 1], JOB),
    Refused(WEEKLY, f"{FAILURES} 1 onExitCodes values", [1, 1], JOB),
    Refused(WEEKLY, f"{RUN_POD} restartPolicy", DELETED, JOB),
    Refused(WEEKLY, f"{RUN_POD} restartPolicy", "Always", JOB),
    Refused(WEEKLY, f"{RUN_POD} restartPolicy", "OnFailure", JOB),
    Refused(WEEKLY, f"{RUN_POD} containers 0 volumeMounts 0 name", "scratch", VOLUMES),
    Refused(WEEKLY, f"{RUN_POD} containers 0 env 0 valueFrom fieldRef fieldPath", "spec.nodeIP", DOWNWARD),
    Refused(WEEKLY, f"{RUN_POD} containers 0 resources requests ephemeral-storage", "40 GiB", QUANTITY),
    Refused(WEEKLY, f"{RUN_POD} containers 0 securityContext capabilities", DELETED, POD_SECURITY),
    Refused(TRAINIUM_POOL, "spec disruption consolidationPolicy", "WhenUnderutilized", KARPENTER),
    Refused(TRAINIUM_POOL, "spec disruption consolidateAfter", "5 min", KARPENTER),
    Refused(TRAINIUM_POOL, "spec disruption budgets 0 nodes", "none", KARPENTER),
    Refused(TRAINIUM_POOL, "spec disruption budgets 0 nodes", 0, KARPENTER),
    Refused(TRAINIUM_POOL, "spec disruption budgets 0 reasons 0", "Drift", KARPENTER),
    Refused(TRAINIUM_POOL, "spec template spec expireAfter", "20d", KARPENTER),
    Refused(TRAINIUM_POOL, "spec template spec terminationGracePeriod", "Never", KARPENTER),
    Refused(BERT_SERVICE, "spec ports 0 port", 0, SERVICE),
    Refused(BERT_SERVICE, "spec ports 0 name", DELETED, SERVICE),
    Refused(BERT_SERVICE, "spec ports 1 name", "http", SERVICE),
    Refused(BERT_SERVICE, "spec ports 1 name", "Metrics_1", SERVICE),
    Refused(BERT_SERVICE, "spec ports 1 port", 80, SERVICE),
    Refused(BERT_SERVICE, "spec ports 1 targetPort", 70000, SERVICE),
    Refused(BERT_SERVICE, "spec ports 0 targetPort", "http-of-the-model", SERVICE),
    Refused(BERT_SERVICE, "spec ports 0 nodePort", 30080, SERVICE),
    Refused(BERT_SERVICE, "spec ports", [], SERVICE),
    Refused(BERT_SERVICE, "spec type", "Internal", SERVICE),
    Refused(BERT_SERVICE, "spec type", "ExternalName", SERVICE),
    Refused(BERT_SERVICE, "spec sessionAffinity", "Client", SERVICE),
    Refused(BERT_SERVICE, "spec clusterIP", "headless", SERVICE),
    Refused(BERT_BUDGET, "spec minAvailable", 1, DISRUPTION),
    Refused(BERT_BUDGET, "spec maxUnavailable", -1, DISRUPTION),
    Refused(BERT_BUDGET, "spec maxUnavailable", "150%", DISRUPTION),
    Refused(BERT_BUDGET, "spec maxUnavailable", "half", DISRUPTION),
    Refused(BERT_POLICY, "spec policyTypes 0", "Inbound", POLICY),
    Refused(BERT_POLICY, "spec egress 0 to 0 podSelector", {}, POLICY),
    Refused(BERT_POLICY, "spec egress 0 to 0", {}, POLICY),
    Refused(BERT_POLICY, "spec egress 0 to 0 ipBlock cidr", "10.0.0.0/33", POLICY),
    Refused(BERT_POLICY, "spec egress 0 to 0 ipBlock except 0", "192.168.0.0/24", POLICY),
    Refused(BERT_POLICY, "spec egress 0 ports 0 port", 70000, POLICY),
    Refused(BERT_POLICY, "spec egress 0 ports 1 endPort", 29999, POLICY),
    Refused(BERT_POLICY, "spec ingress 0 ports 0 endPort", 9000, POLICY),
    Refused("ConfigMap support-bert-engine", "data engine/1", "x", CONFIG_MAP),
    Refused("ConfigMap support-bert-engine", "binaryData LOG_LEVEL", "eA==", CONFIG_MAP),
    Refused("ConfigMap support-bert-engine", "data LOG_LEVEL", "x" * 1_048_577, CONFIG_MAP),
    Refused(BERT_SCALER, "spec minReplicaCount", 9, KEDA),
    Refused(BERT_SCALER, "spec idleReplicaCount", 2, KEDA),
    Refused(BERT_SCALER, "spec triggers", [], KEDA),
    Refused(BERT_SCALER, "spec triggers 1 name", "in-flight", KEDA),
    Refused(BERT_SCALER, "spec scaleTargetRef name", "tokenizer", KEDA_WEBHOOK),
    Refused(BERT_POOL, "spec template spec requirements 0 operator", "Equals", KARPENTER),
    Refused(BERT_POOL, "spec template spec requirements 2 values", [], KARPENTER),
    Refused(BERT_POOL, "spec template spec requirements 4 values", ["0", "1"], KARPENTER),
    Refused(BERT_POOL, "spec template spec requirements 4 values", ["few"], KARPENTER),
    Refused(BERT_POOL, "spec template spec requirements 4 key", "karpenter.k8s.aws/instance-gpus", KARPENTER),
    Refused(BERT_POOL, "spec template spec requirements 0 minValues", 3, KARPENTER),
    Refused(BERT_POOL, "spec template spec taints 0 effect", "NoScheduling", KARPENTER),
    Refused(BERT_POOL, "spec template metadata labels kubernetes.io/hostname", "a", KARPENTER),
    Refused("EC2NodeClass al2023", "spec instanceProfile", "company-ml", NODE_CLASS),
    Refused("EC2NodeClass al2023", "spec role", DELETED, NODE_CLASS),
    Refused("EC2NodeClass al2023", "spec amiSelectorTerms +", {"id": "ami-123"}, NODE_CLASS),
    Refused("PrometheusRule support-bert", "spec groups 0 rules 1 record", "a:b", PROMETHEUS),
    Refused("PrometheusRule support-bert", "spec groups 0 rules 1 alert", DELETED, PROMETHEUS),
    Refused("PrometheusRule support-bert", "spec groups 0 rules 1 expr", "sum(rate(", PROMETHEUS),
    Refused(
        "PrometheusRule support-bert", "spec groups +", {"name": "support-bert", "rules": []}, PROMETHEUS
    ),
    Refused(BERT, f"{POD_SPEC} tolerations 0 value", "present", TAINTS),
    Refused(BERT, f"{POD_SPEC} tolerations 1 key", DELETED, TAINTS),
    Refused(BERT, f"{POD_SPEC} tolerations 0 effect", "NoSchedul", TAINTS),
    Refused(BERT, f"{POD_SPEC} tolerations 0 tolerationSeconds", 60, TAINTS),
    Refused(BERT, f"{POD_SPEC} tolerations 0 operator", "In", TAINTS),
    Refused(BERT, f"{POD_SPEC} nodeSelector sizewell.dev/pool", "support bert", NODES),
    Refused(
        TOKENIZER,
        f"{POD_SPEC} affinity nodeAffinity requiredDuringSchedulingIgnoredDuringExecution nodeSelectorTerms 0 "
        "matchExpressions 0 operator",
        "Is",
        NODES,
    ),
    Refused(
        TOKENIZER,
        f"{POD_SPEC} affinity podAntiAffinity preferredDuringSchedulingIgnoredDuringExecution 0 weight",
        101,
        NODES,
    ),
    Refused(BERT, f"{POD_SPEC} topologySpreadConstraints 0 maxSkew", 0, SPREAD),
    Refused(BERT, f"{POD_SPEC} topologySpreadConstraints 0 whenUnsatisfiable", "Maybe", SPREAD),
    Refused("JobSet pretraining", "metadata name", "p" * 60, JOB_SET),
    Refused("JobSet pretraining", f"{HOSTS} template spec restartPolicy", "Always", JOB_SET),
    Refused(BERT, f"{POD_SPEC} hostNetwork", True, POD_SECURITY),
    Refused(BERT, f"{POD_SPEC} volumes 1", {"name": "scratch", "hostPath": {"path": "/tmp"}}, POD_SECURITY),
    Refused(BERT, f"{POD_SPEC} securityContext runAsNonRoot", DELETED, POD_SECURITY),
    Refused(BERT, f"{POD_SPEC} securityContext seccompProfile", DELETED, POD_SECURITY),
    Refused(BERT, f"{SERVER} securityContext allowPrivilegeEscalation", DELETED, POD_SECURITY),
    Refused(BERT, f"{SERVER} securityContext capabilities", DELETED, POD_SECURITY),
    Refused(BERT, f"{SERVER} securityContext capabilities add", ["SYS_ADMIN"], POD_SECURITY),
    Refused(BERT, f"{SERVER} ports 0 hostPort", 8080, POD_SECURITY),
)
