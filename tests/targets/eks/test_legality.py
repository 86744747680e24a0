"""The rules of legality: what they say of each mutation, and how much they catch."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sizewell.targets.eks.legality import RULES
from tests.targets.eks.mutations import DELETED, faults_of, legal_manifests, mutated
from tests.targets.eks.refused_mutations import (
    BERT,
    BERT_BUDGET,
    BERT_POLICY,
    BERT_POOL,
    BERT_SCALER,
    BERT_SERVICE,
    CONTAINER,
    FETCH,
    HOSTS,
    LOG,
    POD_SPEC,
    REFUSED,
    RUN,
    SCORING,
    SERVER,
    TOKENIZER,
    WEEKLY,
    Refused,
)

NAMESPACE, JOB_SET, ENGINE = "Namespace ml", "JobSet pretraining", "ConfigMap support-bert-engine"
ENFORCE = "metadata labels pod-security.kubernetes.io/enforce"
POD_MONITOR = "PodMonitor support-bert"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution nodeSelectorTerms 0 matchExpressions 0"
NODE_AFFINITY = f"{POD_SPEC} affinity nodeAffinity {REQUIRED}"
POOL_SPEC = "spec template spec"
NEAR = f"{HOSTS} template spec affinity podAffinity requiredDuringSchedulingIgnoredDuringExecution 0"

#: A manifest, one of its fields, the new value, and words of the fault.
MUTATIONS: tuple[tuple[str, str, object, str], ...] = (
    (BERT, "kind", "Deploymnt", "kind 'Deploymnt' is unknown"),
    (BERT, "kind", DELETED, "kind None is unknown"),
    (BERT, "apiVersion", "apps/v1beta2", "'apps/v1beta2' has no Deployment: write apps/v1"),
    (BERT, "metadata name", "Bad_Name", "'Bad_Name' is not an RFC 1123 subdomain"),
    (BERT_SERVICE, "metadata name", "b" * 64, "is not an RFC 1035 label: write at most 63"),
    (NAMESPACE, "metadata name", "ml.prod", "'ml.prod' is not an RFC 1123 label"),
    ("ServiceAccount training", "metadata name", "support-bert", "named support-bert is there already"),
    ("ServiceAccount training", "metadata namespace", DELETED, "None is not a Namespace of the set: write ml"),
    ("ServiceAccount training", "metadata namespace", "nowhere", "'nowhere' is not a Namespace of the set"),
    (BERT, "metadata labels team", "b" * 64, "is not a label value"),
    (BERT, "metadata labels gpu", True, "True is not a label value: write a string"),
    (BERT, "metadata labels a/b/c", "x", "'a/b/c' is not a label key"),
    (BERT, "metadata annotations a!b", "x", "'a!b' is not a label key"),
    (BERT, "metadata annotations price", 1.5, "1.5 is not a string: write it in quotation marks"),
    (BERT_SERVICE, "spec selector component", 1, "1 is not a label value"),
    (BERT, "spec selector matchExpressions 0 operator", "Is", "operator 'Is' is not supported: write In, NotIn"),
    (BERT, "spec selector matchExpressions 0 values", [], "operator In has no values"),
    (BERT, "spec selector matchExpressions 0 operator", "Exists", "operator Exists takes no values"),
    (ENGINE, "data a/b", "x", "'a/b' is not a key of a ConfigMap"),
    (ENGINE, "data LOG_LEVEL", 3, "3 is not a string"),
    (ENGINE, "binaryData LOG_LEVEL", "eA==", "LOG_LEVEL is in data and in binaryData"),
    (BERT, f"{SERVER} resources requests cpu", "3 cores", "'3 cores' is not a quantity"),
    (BERT, f"{SERVER} resources requests cpu", "-1", "'-1' is not a quantity from 0"),
    (BERT, f"{SERVER} resources requests memory", "12GiB", "'12GiB' is not a quantity"),
    (BERT, f"{SERVER} resources limits memory", "400m", "memory is 400m, and a number of bytes is whole"),
    (BERT, f"{SERVER} resources requests memory", "13Gi", "the request of memory (13Gi) exceeds its limit (12Gi)"),
    (BERT, f"{SERVER} resources limits cpu", "2", "the request of cpu (3) exceeds its limit (2)"),
    (BERT, f"{SERVER} resources requests ephemeral-storage", "21Gi", "the request of ephemeral-storage (21Gi) exceeds"),
    (BERT, f"{SERVER} resources requests nvidia.com/gpu", 2, "the request of nvidia.com/gpu (2) must equal its limit (1)"),
    (BERT, f"{SERVER} resources limits nvidia.com/gpu", DELETED, "nvidia.com/gpu has no limit, and its request must equal it"),
    (SCORING, f"{SERVER} resources limits nvidia.com/gpu", "500m", "an extended resource is whole: write a whole number"),
    (SCORING, f"{SERVER} resources limits nvidia.com/gpu", "one", "'one' is not a quantity"),
    (SCORING, f"{SERVER} resources limits gpu", 1, "'gpu' is not a resource of containers"),
    (BERT, f"{POD_SPEC} volumes 0 emptyDir sizeLimit", "8 GB", "'8 GB' is not a quantity"),
    (BERT_POOL, "spec limits cpu", "many", "'many' is not a quantity"),
    (BERT, f"{POD_SPEC} containers", [], "containers is required"),
    (BERT, f"{POD_SPEC} containers +", CONTAINER, "another container is named server"),
    (BERT, f"{FETCH} name", "server", "another container is named server"),
    (BERT, f"{SERVER} name", "Server", "'Server' is not an RFC 1123 label"),
    (BERT, f"{SERVER} image", DELETED, "image is required"),
    (BERT, f"{SERVER} image", "bert latest", "'bert latest' is not a container image"),
    (BERT, f"{SERVER} imagePullPolicy", "Once", "'Once' is not supported: write Always, IfNotPresent or Never"),
    (BERT, f"{SERVER} ports 0 containerPort", 65536, "65536 is out of range: write a whole number from 1 to 65535"),
    (BERT, f"{SERVER} ports 0 name", "model-server-http", "'model-server-http' is not an IANA_SVC_NAME"),
    (BERT, f"{SERVER} ports 1 name", "http", "name http is there twice"),
    (BERT, f"{SERVER} volumeMounts 0 name", "models", "'models' is not a volume of the pod: write model, scratch or engine"),
    (BERT, f"{SERVER} volumeMounts 1 mountPath", "/opt/ml/model", "mountPath /opt/ml/model is there twice"),
    (BERT, f"{POD_SPEC} volumes 1 name", "model", "name model is there twice"),
    (BERT, f"{POD_SPEC} volumes 1 configMap", {"name": "support-bert-engine"}, "configMap and emptyDir came in"),
    (BERT, f"{POD_SPEC} volumes 2 configMap name", "engine", "ConfigMap 'engine' is not in the set"),
    (BERT, f"{POD_SPEC} volumes 2 configMap items 0 key", "engine.yml", "has no key 'engine.yml': write engine.yaml or LOG"),
    (BERT, f"{SERVER} envFrom 0 configMapRef name", "engine", "ConfigMap 'engine' is not in the set"),
    (BERT, f"{SERVER} env 3 valueFrom configMapKeyRef key", "engine", "has no key 'engine'"),
    (BERT, f"{SERVER} env 0 name", "MODEL=DIR", "'MODEL=DIR' is not the name of an environment variable"),
    (BERT, f"{SERVER} env 1 name", "MODEL_DIR", "name MODEL_DIR is there twice"),
    (BERT, f"{SERVER} env 1 value", 32, "32 is not a string: write it in quotation marks"),
    (BERT, f"{SERVER} env 1 value", False, "False is not a string"),
    (BERT, f"{SERVER} env 2 value", "x", "value and valueFrom came in: write at most one of"),
    (BERT, f"{SERVER} env 2 valueFrom", {}, "none came in: write exactly one of fieldRef"),
    (BERT, f"{SERVER} env 2 valueFrom fieldRef fieldPath", "metadata.nam", "is not a field that the downward API offers"),
    (BERT, f"{POD_SPEC} serviceAccountName", "bert", "ServiceAccount 'bert' is not in the set: write support-bert, training"),
    (BERT, f"{SERVER} livenessProbe tcpSocket", {"port": 8080}, "httpGet and tcpSocket came in: write exactly one of"),
    (BERT, f"{SERVER} livenessProbe httpGet", DELETED, "none came in: write exactly one of exec, httpGet"),
    (BERT, f"{SERVER} livenessProbe successThreshold", 2, "2 is out of range: write a whole number from 1 to 1"),
    (BERT, f"{SERVER} startupProbe successThreshold", 2, "2 is out of range"),
    (BERT, f"{SERVER} readinessProbe periodSeconds", 0, "0 is out of range: write a whole number from 1"),
    (BERT, f"{SERVER} readinessProbe httpGet port", "web", "'web' is not a port of this container: write http or metrics"),
    (BERT, f"{SERVER} readinessProbe terminationGracePeriodSeconds", 9, "9 is forbidden because a readiness probe"),
    (BERT, f"{FETCH} livenessProbe", {"exec": {"command": ["x"]}}, "livenessProbe is given, which demands that restartPolicy is"),
    (BERT, f"{LOG} restartPolicy", "OnFailure", "'OnFailure' is not supported: write Always"),
    (BERT, f"{SERVER} lifecycle preStop sleep seconds", 90, "90 exceeds the grace period of 60 s"),
    (BERT, f"{POD_SPEC} tolerations 0 value", "x", "operator is Exists, which demands that value is absent"),
    (BERT, f"{POD_SPEC} tolerations 1 key", DELETED, "key is absent, which demands that operator is Exists"),
    (BERT, f"{POD_SPEC} tolerations 0 tolerationSeconds", 9, "demands that effect is NoExecute"),
    (BERT, f"{POD_SPEC} tolerations 0 effect", "Never", "'Never' is not supported: write NoSchedule"),
    (BERT, f"{POD_SPEC} restartPolicy", "Never", "'Never' is not supported: write Always"),
    (BERT, "spec selector", {}, "an empty selector is invalid for a Deployment"),
    (BERT, "spec selector matchLabels app.kubernetes.io/name", "b", "selector does not match template labels"),
    (BERT, "spec template metadata labels app.kubernetes.io/name", "b", "selector does not match template labels"),
    (BERT, "spec strategy rollingUpdate maxUnavailable", "0%", "maxUnavailable may not be 0 when maxSurge is 0"),
    (BERT, "spec strategy rollingUpdate maxUnavailable", "101%", "write a number from 0 or a percentage up to 100%"),
    (BERT, "spec strategy rollingUpdate maxSurge", "half", "'half' is no number of pods"),
    (BERT, "spec strategy type", "Recreate", "type is Recreate, which demands that rollingUpdate is absent"),
    (BERT, "spec minReadySeconds", 1800, "1800 must be greater than minReadySeconds"),
    (BERT, "spec replicas", 2, "2 replicas fight the scaler ScaledObject ml/support-bert"),
    (TOKENIZER, "spec replicas", 2, "2 replicas fight the scaler ScaledObject ml/tokenizer"),
    (SCORING, f"{POD_SPEC} restartPolicy", DELETED, "restartPolicy is required"),
    (SCORING, f"{POD_SPEC} restartPolicy", "Always", "'Always' is not supported: write Never or OnFailure"),
    (SCORING, f"{POD_SPEC} restartPolicy", "OnFailure", "podFailurePolicy is given, which demands that"),
    (SCORING, "spec selector", {"matchLabels": {}}, "is forbidden because the system chooses the selector"),
    (SCORING, "spec activeDeadlineSeconds", 0, "0 is out of range: write a whole number from 1"),
    (SCORING, "spec backoffLimit", -1, "-1 is out of range: write a whole number from 0"),
    (SCORING, "spec completions", DELETED, "demands that completions is given"),
    (SCORING, "spec completionMode", "NonIndexed", "demands that completionMode is Indexed"),
    (SCORING, "spec podFailurePolicy rules 0 onExitCodes containerName", "x", "'x' is not a container of the Job: write score"),
    (SCORING, "metadata name", "s" * 62, "-15 have at most 63 characters: shorten the name"),
    (WEEKLY, "metadata name", "w" * 53, "is not the name of a CronJob: write at most 52"),
    (WEEKLY, "spec schedule", "30 2 * * 7", "7 is no day-of-week (0 to 6 or a name)"),
    (WEEKLY, "spec schedule", "cron(30 2 ? * SUN *)", "it has 6 fields, and 5 are needed"),
    (WEEKLY, "spec timeZone", "Berlin", "'Berlin' is no time zone"),
    (WEEKLY, "spec startingDeadlineSeconds", 5, "5 is out of range: write a whole number from 10"),
    (WEEKLY, f"{RUN} podReplacementPolicy", "TerminatingOrFailed", "demands that podReplacementPolicy is absent or Failed"),
    (WEEKLY, f"{RUN} podFailurePolicy rules 1 onExitCodes values", [143, 1], "the exit codes are no numbers that rise"),
    (WEEKLY, f"{RUN} podFailurePolicy rules 1 onExitCodes values", [256], "an exit code is from 0 to 255"),
    (BERT_SERVICE, "spec selector app.kubernetes.io/name", "b", "the selector matches no pod template of the set"),
    (BERT_SERVICE, "spec ports 0 targetPort", "web", "'web' is no port of the selected pods"),
    (BERT_SERVICE, "spec ports 0 name", DELETED, "each of the 2 ports of a Service needs a name"),
    (BERT_SERVICE, "spec ports 1 port", 80, "port and protocol 80 TCP is there twice"),
    (BERT_BUDGET, "spec minAvailable", 1, "minAvailable and maxUnavailable came in"),
    (BERT_BUDGET, "spec maxUnavailable", DELETED, "none came in: write exactly one of minAvailable or maxUnavailable"),
    (BERT_BUDGET, "spec selector matchLabels app.kubernetes.io/name", "b", "the selector matches no pod template"),
    (BERT_POLICY, "spec podSelector matchLabels app.kubernetes.io/name", "b", "the selector matches no pod template"),
    (JOB_SET, f"{NEAR} labelSelector matchLabels app.kubernetes.io/name", "b", "the selector matches no pod template"),
    (JOB_SET, f"{NEAR} labelSelector", DELETED, "the selector matches no pod template"),
    (BERT_POLICY, "spec ingress 0 ports 0 port", "web", "'web' is no port of the selected pods"),
    (BERT_POLICY, "spec egress 0 to 0 ipBlock except 0", "192.168.0.0/24", "is not within 10.0.0.0/16"),
    (BERT_SCALER, "spec scaleTargetRef name", "bert", "Deployment 'bert' is not in the set: write support-bert or tokenizer"),
    (BERT_SCALER, "spec scaleTargetRef name", "tokenizer", "tokenizer is already scaled by ScaledObject ml/support-bert"),
    (BERT_SCALER, "spec scaleTargetRef kind", "StatefulSet", "'StatefulSet' is not supported: write Deployment"),
    (BERT_SCALER, "spec minReplicaCount", 9, "9 is above the maximum: write at most 8"),
    (BERT_SCALER, "spec idleReplicaCount", 2, "2 is not below minReplicaCount 2"),
    (BERT_SCALER, "spec triggers 0 authenticationRef name", "p", "TriggerAuthentication 'p' is not in the set"),
    (BERT_SCALER, "spec triggers 0 metadata threshold", 6, "6 is not a string"),
    ("TriggerAuthentication prometheus", "spec podIdentity provider", "eks", "'eks' is not supported: write aws, aws-eks"),
    (TOKENIZER, f"{SERVER} resources requests cpu", DELETED, "container 'tokenizer' requests no cpu"),
    (POD_MONITOR, "spec selector matchLabels app.kubernetes.io/name", "b", "the selector matches no pod template"),
    (POD_MONITOR, "spec podMetricsEndpoints 0 port", "prom", "'prom' is no port of the selected pods"),
    ("PrometheusRule support-bert", "spec groups 0 rules 0 alert", "A", "alert and record came in: write exactly one of"),
    (BERT, f"{POD_SPEC} nodeSelector hardware-type", "gpu", "no node has a label 'hardware-type'"),
    (BERT, f"{POD_SPEC} nodeSelector sizewell.dev/pool", "b", "no node has sizewell.dev/pool 'b': write support-bert"),
    (BERT, f"{POD_SPEC} nodeSelector kubernetes.io/arch", "x86_64", "kubernetes.io/arch 'x86_64': write amd64 or arm64"),
    (TOKENIZER, f"{NODE_AFFINITY} key", "karpenter.k8s.aws/instance-kind", "no node has a label"),
    (WEEKLY, f"{RUN} template spec nodeSelector karpenter.sh/nodepool", "t", "write support-bert or trainium"),
    (BERT_POOL, f"{POOL_SPEC} requirements 0 values 0", "g4dn.huge", "'g4dn.huge' is not an instance type of the catalog"),
    (BERT_POOL, f"{POOL_SPEC} requirements 0 key", "node.kubernetes.io/instance", "no node has a label"),
    (BERT_POOL, f"{POOL_SPEC} requirements 0 operator", "Is", "operator 'Is' is not supported: write In, NotIn, Exists"),
    (BERT_POOL, f"{POOL_SPEC} requirements 2 values", [], "operator In has no values"),
    (BERT_POOL, f"{POOL_SPEC} requirements 4 values", ["0", "1"], "operator Gt takes a single whole number"),
    (BERT_POOL, f"{POOL_SPEC} requirements 5 values", ["1"], "operator Exists takes no values"),
    (BERT_POOL, f"{POOL_SPEC} requirements 0 minValues", 3, "minValues 3 exceeds the number of values: write at most 2"),
    (BERT_POOL, f"{POOL_SPEC} nodeClassRef name", "al2", "EC2NodeClass 'al2' is not in the set: write al2023"),
    (BERT_POOL, f"{POOL_SPEC} nodeClassRef group", "eks.amazonaws.com", "demands that group is karpenter.k8s.aws"),
    (BERT_POOL, f"{POOL_SPEC} taints 0 effect", "NoExec", "'NoExec' is not supported: write NoSchedule, PreferNoSchedule or"),
    (BERT_POOL, "spec template metadata labels karpenter.sh/team", "a", "label karpenter.sh/team is restricted"),
    ("EC2NodeClass al2023", "spec instanceProfile", "x", "role and instanceProfile came in: write exactly one of"),
    (NAMESPACE, ENFORCE, "strict", "'strict' is no Pod Security Standard"),
    (BERT, f"{POD_SPEC} securityContext runAsNonRoot", DELETED, "the Pod Security Standard is restricted: write true"),
    (BERT, f"{SERVER} securityContext runAsNonRoot", False, "False came in, and the Pod Security Standard is restricted"),
    (BERT, f"{POD_SPEC} securityContext seccompProfile", DELETED, "write RuntimeDefault or Localhost"),
    (BERT, f"{SERVER} securityContext allowPrivilegeEscalation", DELETED, "restricted: write false"),
    (BERT, f"{SERVER} securityContext capabilities", DELETED, "restricted: write [ALL]"),
    (BERT, f"{POD_SPEC} hostNetwork", True, "the Pod Security Standard is baseline: write nothing or false"),
    (BERT, f"{POD_SPEC} volumes 1", {"name": "scratch", "hostPath": {"path": "/"}}, "Standard is baseline: write nothing"),
    (BERT, f"{SERVER} ports 0 hostPort", 80, "the Pod Security Standard is baseline: write nothing or 0"),
)  # fmt: skip

#: A manifest, one of its fields, and a new value with which everything still works.
STILL_LEGAL: tuple[tuple[str, str, object], ...] = (
    (BERT, "metadata labels team", ""),
    (BERT, "metadata annotations Example.com/Note", "in capitals"),
    (BERT, f"{SERVER} resources requests cpu", 2.5),
    (BERT, f"{SERVER} resources requests memory", "12884901888"),
    (BERT, f"{SERVER} resources requests memory", "1e9"),
    (BERT, f"{SERVER} resources requests nvidia.com/gpu", DELETED),
    (BERT, f"{SERVER} resources limits nvidia.com/gpu", "1"),
    (BERT, f"{SERVER} env 0 value", ""),
    (BERT, f"{SERVER} env 0 name", "com.example/model dir"),
    (BERT, f"{SERVER} envFrom 0", {"configMapRef": {"name": "elsewhere", "optional": True}}),
    (BERT, f"{LOG} ports +", {"name": "metrics", "containerPort": 9500}),
    (BERT, f"{SERVER} securityContext capabilities add", ["NET_BIND_SERVICE"]),
    (BERT, f"{POD_SPEC} serviceAccountName", "default"),
    (BERT, f"{POD_SPEC} tolerations 1 operator", DELETED),
    (BERT, f"{POD_SPEC} volumes 1", {"name": "scratch"}),
    (BERT, "spec strategy rollingUpdate", {"maxSurge": "25%", "maxUnavailable": 0}),
    (BERT, "spec strategy", {"type": "Recreate"}),
    (SCORING, "spec completionMode", "Indexed"),
    (WEEKLY, "spec schedule", "0 0 31 2 *"),
    (WEEKLY, "spec schedule", "*/15 0-6/2 1,15 JAN-MAR ?"),
    (WEEKLY, "spec schedule", "@weekly"),
    (WEEKLY, "spec timeZone", DELETED),
    (WEEKLY, f"{RUN} podReplacementPolicy", DELETED),
    (JOB_SET, f"{HOSTS} template spec restartPolicy", DELETED),
    (BERT_SERVICE, "spec clusterIP", "None"),
    (BERT_SERVICE, "spec ports 0 targetPort", 8080),
    (BERT_BUDGET, "spec maxUnavailable", "50%"),
    (BERT_BUDGET, "spec selector", {}),
    (BERT_SCALER, "spec scaleTargetRef kind", "Deployment"),
    (POD_MONITOR, "spec namespaceSelector", {"matchNames": ["gpu-operator"]}),
    (BERT_POOL, f"{POOL_SPEC} requirements 4 operator", "Gte"),
    (BERT_POOL, f"{POOL_SPEC} requirements +", {"key": "sizewell.dev/pool", "operator": "Exists"}),
    (NAMESPACE, ENFORCE, "privileged"),
)

#: Honest misses of the list of refused mutations. No manifest of ours has the first; the second needs a parser of PromQL.
MISSED = {
    (BERT, f"{POD_SPEC} hostAliases"),
    ("PrometheusRule support-bert", "spec groups 0 rules 1 expr"),
}


def _row_id(row: object) -> str | None:
    return row if isinstance(row, str) and len(row) < 90 else None


def test_the_legal_manifests_have_no_fault() -> None:
    assert faults_of(legal_manifests()) == ()


@pytest.mark.parametrize(("manifest", "path", "value", "words"), MUTATIONS, ids=_row_id)
def test_a_mutation_is_a_fault(manifest: str, path: str, value: object, words: str) -> None:
    faults = faults_of(mutated(manifest, path, value))
    assert [fault for fault in faults if words in fault.message], "\n".join(map(str, faults))


@pytest.mark.parametrize(("manifest", "path", "value"), STILL_LEGAL, ids=_row_id)
def test_what_works_is_no_fault(manifest: str, path: str, value: object) -> None:
    assert faults_of(mutated(manifest, path, value)) == ()


def test_enough_mutations() -> None:
    assert len(MUTATIONS) >= 80
    assert len(REFUSED) >= 60


def _is_caught(row: Refused) -> bool:
    kind, name = row.manifest.split()
    about = {f"{kind} ml/{name}", f"{kind} {name}", f"{kind} ml/{row.value}", f"{kind} {row.value}"}
    about |= {f"{row.value} ml/{name}", f"{kind} nowhere/{name}", f"{kind} ml/(no name)"}
    faults = faults_of(mutated(row.manifest, row.path, row.value))
    # Two scalers of a Deployment are a fault of the second.
    return any(fault.object in about or "already scaled" in fault.message for fault in faults)


def test_what_an_api_server_refuses_is_caught() -> None:
    missed = {(row.manifest, row.path) for row in REFUSED if not _is_caught(row)}
    assert missed == MISSED
    assert len(missed) / len(REFUSED) <= 0.05


def test_a_fault_says_where_and_what() -> None:
    faults = faults_of(mutated(BERT, f"{SERVER} resources limits nvidia.com/gpu", DELETED))
    assert [(fault.object, fault.path, fault.message) for fault in faults] == [
        (
            "Deployment ml/support-bert",
            'spec.template.spec.containers[0].resources.limits["nvidia.com/gpu"]',
            "nvidia.com/gpu has no limit, and its request must equal it: write the limit.",
        )
    ]


#: As it stands in shared/seeds/003: the system refuses it, because nothing says what happens when a container ends.
JOB_OF_THE_SEED = """
apiVersion: batch/v1
kind: Job
metadata:
  name: llama-training
spec:
  template:
    spec:
      nodeSelector:
        hardware-type: aws-trainium
      tolerations:
      - key: aws.amazon.com/neuron
        operator: Exists
        effect: NoSchedule
      containers:
      - name: training
        image: pytorch/pytorch:latest
        resources:
          limits:
            aws.amazon.com/neuron: 16
"""


def test_the_job_of_the_seed_is_a_fault() -> None:
    faults = faults_of([yaml.safe_load(JOB_OF_THE_SEED)])
    assert [(fault.object, fault.path) for fault in faults] == [
        ("Job llama-training", "metadata.namespace"),
        ("Job llama-training", 'spec.template.spec.nodeSelector["hardware-type"]'),
        ("Job llama-training", "spec.template.spec.restartPolicy"),
    ]


def test_baseline_demands_less_than_restricted() -> None:
    manifests = mutated(NAMESPACE, ENFORCE, "baseline")
    deployment = next(found for found in manifests if found["kind"] == "Deployment")
    pod = deployment["spec"]["template"]["spec"]
    pod["securityContext"] = {}
    pod["containers"][0]["securityContext"] = {"capabilities": {"add": ["CHOWN"]}}
    assert faults_of(manifests) == ()
    pod["containers"][0]["securityContext"] = {"privileged": True, "capabilities": {"add": ["SYS_ADMIN"]}}
    assert [fault.path.rpartition("securityContext.")[2] for fault in faults_of(manifests)] == [
        "capabilities.add[0]",
        "privileged",
    ]


def test_services_without_ports_work() -> None:
    manifests = legal_manifests()
    for name, spec in (
        ("headless", {"clusterIP": "None", "selector": {"jobset.sigs.k8s.io/jobset-name": "pretraining"}}),
        ("registry", {"type": "ExternalName", "externalName": "registry.example.com"}),
    ):
        metadata = {"name": name, "namespace": "ml"}
        manifests.append({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec})
    assert faults_of(manifests) == ()


def test_a_second_scaler_and_a_second_object_are_faults() -> None:
    manifests = legal_manifests()
    scaler = copy.deepcopy(next(found for found in manifests if found["kind"] == "ScaledObject"))
    manifests.append(scaler)
    assert "is there already" in faults_of(manifests)[0].message
    scaler["metadata"]["name"] = "support-bert-again"
    assert [fault.object for fault in faults_of(manifests)] == ["ScaledObject ml/support-bert-again"]


def test_each_rule_is_explained() -> None:
    assert len({rule.__name__ for rule in RULES}) >= 30
    assert [rule.__name__ for rule in RULES if not rule.__doc__] == []


def test_the_order_of_the_manifests_does_not_matter() -> None:
    manifests = mutated(BERT_SCALER, "spec scaleTargetRef name", "tokenizer")
    assert faults_of(manifests) == faults_of(reversed(manifests))


def _leaves(holder: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside = (
        holder.items() if isinstance(holder, dict) else enumerate(holder) if isinstance(holder, list) else ()
    )
    for key, value in inside:
        yield (*path, key)
        yield from _leaves(value, (*path, key))


PLACES = tuple(_leaves(legal_manifests()))
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["0", "1Gi", "In", "ml"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | st.integers(), inner, max_size=3)
    ),
    max_leaves=5,
)


@settings(max_examples=200)
@given(place=st.sampled_from(PLACES), value=st.just(DELETED) | ANYTHING)
def test_no_value_anywhere_raises(place: tuple[Any, ...], value: object) -> None:
    manifests: Any = legal_manifests()
    holder = manifests
    for key in place[:-1]:
        holder = holder[key]
    if value is DELETED:
        del holder[place[-1]]
    elif len(place) > 1:
        holder[place[-1]] = value
    faults = faults_of(manifests)
    assert list(faults) == sorted(faults)
