"""A realistic review: three environments, dangers, a role that may do more, a more expensive type, a moved bill."""

from sizewell.review.model import (
    Approval,
    CandidatePoint,
    ConfigChange,
    CostComponent,
    CostSide,
    EnvironmentCost,
    Gate,
    GateFailure,
    Grant,
    Hazard,
    IamChange,
    Note,
    PickSide,
    PropertyChange,
    Range,
    ResourceChange,
    Resources,
    Review,
    Security,
    SecurityChange,
    SelectionChange,
    Side,
    StackChange,
    Verdict,
    WaivedFinding,
    WorkloadCost,
)

ENVIRONMENTS = ("prod", "dev", "staging")


def exactly(amount: float) -> Range:
    return Range(minimum=amount, expected=amount, maximum=amount)


def instances(name: str, count: int, hourly: float, low: int, high: int) -> CostComponent:
    return CostComponent(
        service="SageMaker",
        name=f"{name} instances",
        quantity=f"{count} instances, {count * 730:,} hours",
        unit_price=f"{hourly} USD per hour",
        usd_per_month=Range(
            minimum=low * hourly * 730, expected=count * hourly * 730, maximum=high * hourly * 730
        ),
        basis="published",
        price_date="2026-10-31",
    )


def one_line(component: CostComponent, per_1000_requests: float | None = None) -> CostSide:
    return CostSide(
        components=(component,),
        usd_per_month=component.usd_per_month,
        usd_per_1000_requests=per_1000_requests,
    )


def less(head: Range, base: Range) -> Range:
    return Range(
        minimum=(head.minimum or 0) - (base.minimum or 0),
        expected=(head.expected or 0) - (base.expected or 0),
        maximum=(head.maximum or 0) - (base.maximum or 0),
    )


def assistant_cost() -> WorkloadCost:
    base = one_line(instances("ml.g5.2xlarge", 2, 1.515, 2, 6), 0.214)
    head = one_line(instances("ml.g6e.2xlarge", 2, 2.803, 1, 8), 0.396)
    return WorkloadCost(
        environment="prod",
        workload="assistant",
        base=base,
        head=head,
        difference=less(head.usd_per_month, base.usd_per_month),
        causes=("ml.g5.2xlarge → ml.g6e.2xlarge", "at most 8 instead of 6 instances"),
        once=(
            CostComponent(
                service="SageMaker",
                name="second fleet of the blue/green update",
                quantity="2 instances, 1 hour",
                unit_price="2.803 USD per hour",
                usd_per_month=exactly(5.61),
                basis="estimated",
                price_date="2026-10-31",
            ),
        ),
    )


def tune_cost(environment: str) -> WorkloadCost:
    base = one_line(instances("ml.p4d.24xlarge", 1, 0.43, 0, 1))
    head = one_line(instances("ml.trn1.32xlarge", 1, 0.31, 0, 1))
    return WorkloadCost(
        environment=environment,
        workload="assistant-tune",
        base=base,
        head=head,
        difference=less(head.usd_per_month, base.usd_per_month),
        causes=("ml.p4d.24xlarge → ml.trn1.32xlarge",),
    )


def search_cost() -> WorkloadCost:
    head = one_line(instances("ml.c7i.xlarge", 1, 0.214, 1, 2), 0.012)
    return WorkloadCost(
        environment="dev",
        workload="plant-search",
        base=None,
        head=head,
        difference=head.usd_per_month,
        causes=("new workload",),
    )


def environment_cost(
    name: str, base: Range, percent: float, budget: float, *workloads: WorkloadCost
) -> EnvironmentCost:
    difference = Range(
        minimum=sum(one.difference.minimum or 0 for one in workloads),
        expected=sum(one.difference.expected or 0 for one in workloads),
        maximum=sum(one.difference.maximum or 0 for one in workloads),
    )
    return EnvironmentCost(
        environment=name,
        region="us-east-1",
        base=base,
        head=Range(
            minimum=(base.minimum or 0) + (difference.minimum or 0),
            expected=(base.expected or 0) + (difference.expected or 0),
            maximum=(base.maximum or 0) + (difference.maximum or 0),
        ),
        difference=difference,
        difference_percent=percent,
        budget_usd_per_month=budget,
        known_component_count=41,
        unknown=("S3 requests of assistant", "NAT data processing"),
        not_priced=("AWS::Events::Rule",) if name == "prod" else (),
        price_dates=("2026-10-31",),
        workloads=workloads,
    )


def hazards() -> tuple[Hazard, ...]:
    bucket = Hazard(
        rule="replace-stateful",
        effect="durability",
        severity="danger",
        environment="prod",
        stack="demo-prod-foundation",
        logical_id="CaptureBucket4F1A",
        subject="bucket CaptureBucket",
        cause="BucketName changes, which CloudFormation can only do with another bucket.",
        consequence="The new bucket is empty; the old one is deleted with the captured data once it is empty.",
        what_to_do="Keep the name, or copy the data and set DeletionPolicy to Retain first.",
    )
    fixed = Hazard(
        rule="autoscaled-type-change",
        effect="availability",
        severity="danger",
        environment="prod",
        stack="demo-prod-assistant",
        logical_id="Endpoint",
        workload="assistant",
        subject="endpoint assistant",
        cause="The autoscaled variant main changes from ml.g5.2xlarge to ml.g6e.2xlarge.",
        consequence="SageMaker refuses to update a variant that is a scalable target: "
        "the deployment fails and rolls back.",
        what_to_do="Run sizewell deploy for the stack, or remove scaling, deploy, and add it again.",
    )
    zone = Hazard(
        rule="single-zone",
        effect="availability",
        severity="warning",
        environment="prod",
        stack="demo-prod-assistant",
        logical_id="ScalableTarget",
        workload="assistant",
        subject="endpoint assistant",
        cause="min_instances falls from 2 to 1.",
        consequence="At low load one instance in one Availability Zone serves everything: its loss is an outage of minutes.",
        what_to_do="Keep two instances in production.",
    )
    alarm = Hazard(
        rule="alarm-loosened",
        effect="alerting",
        severity="warning",
        environment="prod",
        stack="demo-prod-assistant",
        logical_id="LatencyAlarm",
        workload="assistant",
        subject="alarm LatencyAlarm",
        cause="Threshold rises from 15,000 to 30,000 ms.",
        consequence="A rollback starts only when users wait twice as long.",
        what_to_do="Confirm that the new latency target was agreed on.",
    )
    policy = Hazard(
        rule="stack-policy",
        effect="availability",
        severity="notice",
        environment="prod",
        stack="demo-prod-assistant",
        subject="stack demo-prod-assistant",
        cause="The template grows to 412 of 500 resources.",
        consequence="The next workloads may not fit.",
        what_to_do="Nothing now.",
    )
    return (
        bucket,
        fixed,
        zone,
        *(
            alarm.model_copy(update={"environment": name, "stack": f"demo-{name}-assistant"})
            for name in ("prod", "staging")
        ),
        policy,
    )


def grant(principal: str, action: str, resource: str, condition: str = "") -> Grant:
    return Grant(effect="Allow", principal=principal, action=action, resource=resource, condition=condition)


def security() -> Security:
    role = "demo-prod-assistant/Endpoint/Role"
    return Security(
        iam=(
            IamChange(
                direction="broadened",
                environment="prod",
                stack="demo-prod-assistant",
                policy=role,
                grants=(
                    grant(role, "s3:DeleteObject", "arn:aws:s3:::demo-prod-models/*"),
                    grant(role, "s3:PutObject", "arn:aws:s3:::demo-prod-models/*"),
                    grant(role, "kms:Decrypt", "*", "StringEquals kms:ViaService s3.us-east-1.amazonaws.com"),
                ),
            ),
            IamChange(
                direction="narrowed",
                environment="dev",
                stack="demo-dev-foundation",
                policy="demo-dev-foundation/FlowLogRole",
                grants=(grant("demo-dev-foundation/FlowLogRole", "logs:*", "*"),),
            ),
        ),
        others=(
            SecurityChange(
                rule="security-group-opened",
                direction="weaker",
                environment="dev",
                stack="demo-dev-foundation",
                logical_id="EndpointSecurityGroup",
                subject="EndpointSecurityGroup ingress",
                base="tcp 443 from 10.40.0.0/16",
                head="tcp 443 from 0.0.0.0/0",
                why="Anybody who has a route may connect.",
            ),
            SecurityChange(
                rule="encryption-gained",
                direction="stronger",
                environment="staging",
                stack="demo-staging-foundation",
                logical_id="Topic",
                subject="topic Alarms",
                base="not encrypted",
                head="customer-managed key",
                why="Messages are encrypted at rest.",
            ),
        ),
        unchanged_grant_count=148,
    )


def pick(
    name: str,
    hourly: float,
    time: float,
    runner_up: str,
    lock: str = "locked",
    count: int = 2,
    hours: float = 730,
) -> PickSide:
    return PickSide.model_validate(
        {
            "instance_type": name,
            "instance_count": count,
            "usd_per_hour": hourly,
            "usd_per_month": hourly * hours * count,
            "time": time,
            "runner_up": runner_up,
            "lock": lock,
        }
    )


def selection() -> tuple[SelectionChange, ...]:
    candidates = (
        ("ml.g6e.2xlarge", 4092, 11200.0),
        ("ml.g6.12xlarge", 8395, 9700.0),
        ("ml.g5.12xlarge", 10351, 9200.0),
        ("ml.g6e.4xlarge", 5481, 10900.0),
        ("ml.g6e.8xlarge", 8252, 10700.0),
        ("ml.inf2.8xlarge", 3592, 14100.0),
        ("ml.inf2.24xlarge", 11847, 8100.0),
        ("ml.g6.24xlarge", 12176, 9600.0),
        ("ml.g6e.12xlarge", 19155, 6200.0),
        ("ml.p4d.24xlarge", 36800, 4300.0),
        ("ml.g5.48xlarge", 29726, 8800.0),
    )
    tune = SelectionChange(
        environment="prod",
        workload="assistant-tune",
        kind="training-job",
        time_of="duration",
        base=pick("ml.p4d.24xlarge", 25.25, 6.2, "ml.trn1.32xlarge", count=1, hours=12.4),
        head=pick("ml.trn1.32xlarge", 24.78, 4.6, "ml.p4d.24xlarge", lock="stale", count=1, hours=9.2),
        reasons=("ml.trn1.32xlarge is cheaper by 27% per run since the prices of 2026-10-31.",),
        candidates=(
            CandidatePoint(instance_type="ml.trn1.32xlarge", usd_per_month=228, time=4.6),
            CandidatePoint(instance_type="ml.p4d.24xlarge", usd_per_month=313, time=6.2),
        ),
    )
    return (
        SelectionChange(
            environment="prod",
            workload="assistant",
            kind="real-time-endpoint",
            time_of="latency",
            base=pick("ml.g5.2xlarge", 1.515, 14600, "ml.g6.2xlarge"),
            head=pick("ml.g6e.2xlarge", 2.803, 11200, "ml.inf2.8xlarge", lock="stale"),
            reasons=(
                "latency.max_p95_ms falls from 15000 to 12000: ml.g5.2xlarge needs 14.6 s.",
                "ml.inf2.8xlarge is cheaper, but 14.1 s are too slow.",
            ),
            candidates=tuple(
                CandidatePoint(instance_type=name, usd_per_month=cost, time=time)
                for name, cost, time in candidates
            ),
        ),
        tune,
        tune.model_copy(update={"environment": "staging"}),
    )


def config() -> tuple[ConfigChange, ...]:
    return (
        ConfigChange(
            key_path="workloads.assistant.scaling.min_instances",
            change="changed",
            base="2",
            head="1",
            environments=("prod",),
            meaning="loses the second zone",
        ),
        ConfigChange(
            key_path="workloads.assistant.latency.max_p95_ms",
            change="changed",
            base="15000",
            head="12000",
            environments=ENVIRONMENTS,
            meaning="asks for a faster instance type",
        ),
        ConfigChange(
            key_path="workloads.plant-search",
            change="added",
            base="",
            head="{kind: real-time-endpoint, model: {preset: bert-base}}",
            environments=("dev",),
            meaning="new workload",
        ),
        ConfigChange(
            key_path="policy.budget_usd_per_month",
            change="removed",
            base="9000",
            head="",
            environments=("staging",),
            meaning="no budget alarm",
        ),
    )


def changed(
    action: str, environment: str, stack: str, path: str, resource_type: str, **given: object
) -> ResourceChange:
    return ResourceChange.model_validate(
        {
            "environment": environment,
            "stack": f"demo-{environment}-{stack}",
            "logical_id": path.replace("/", ""),
            "resource_type": resource_type,
            "path": f"demo-{environment}-{stack}/{path}",
            "action": action,
            **given,
        }
    )


TYPE_DIFF = """\
@@ -4,7 +4,7 @@
   - AcceleratorType: null
     InitialInstanceCount: "2"
-    InstanceType: ml.g5.2xlarge
+    InstanceType: ml.g6e.2xlarge
     VariantName: main"""


def resources() -> Resources:
    moved = PropertyChange(
        path="ProductionVariants.0.InstanceType",
        base="ml.g5.2xlarge",
        head="ml.g6e.2xlarge",
        effect="replace",
    )
    bucket = PropertyChange(
        path="BucketName", base="demo-prod-capture", head="demo-prod-captures", effect="replace"
    )
    threshold = PropertyChange(path="Threshold", base="15000", head="30000", effect="update")
    alarm_diff = "@@ -9,3 +9,3 @@\n   Statistic: p95\n-  Threshold: '15000'\n+  Threshold: '30000'"
    per_environment = [
        changed(
            "changed",
            name,
            "assistant",
            "Endpoint/LatencyAlarm",
            "AWS::CloudWatch::Alarm",
            properties=(threshold,),
            diff=alarm_diff,
        )
        for name in ("prod", "staging")
    ]
    return Resources(
        changes=(
            changed(
                "replaced",
                "prod",
                "foundation",
                "CaptureBucket",
                "AWS::S3::Bucket",
                decided_by=("BucketName",),
                stateful=True,
                properties=(bucket,),
                diff="@@ -1,2 +1,2 @@\n-BucketName: demo-prod-capture\n+BucketName: demo-prod-captures",
            ),
            changed(
                "replaced",
                "prod",
                "assistant",
                "Endpoint/Config",
                "AWS::SageMaker::EndpointConfig",
                decided_by=("ProductionVariants",),
                properties=(moved,),
                diff=TYPE_DIFF,
            ),
            changed(
                "replaced",
                "prod",
                "foundation",
                "CaptureBucket/Policy",
                "AWS::S3::BucketPolicy",
                decided_by=("Bucket",),
                because_of="demo-prod-foundation/CaptureBucket",
            ),
            changed(
                "may be replaced",
                "prod",
                "foundation",
                "Key",
                "AWS::KMS::Key",
                decided_by=("KeySpec",),
                stateful=True,
                retained=True,
            ),
            changed("removed", "staging", "assistant", "Endpoint/ErrorAlarm", "AWS::CloudWatch::Alarm"),
            changed(
                "changed",
                "prod",
                "assistant",
                "Endpoint",
                "AWS::SageMaker::Endpoint",
                because_of="demo-prod-assistant/EndpointConfig",
            ),
            *per_environment,
            changed(
                "changed",
                "prod",
                "assistant",
                "Endpoint/Role/DefaultPolicy",
                "AWS::IAM::Policy",
                properties=(
                    PropertyChange(
                        path="PolicyDocument.Statement.1.Action.2",
                        base="",
                        head="s3:DeleteObject",
                        effect="update",
                    ),
                ),
                diff="@@ -3,2 +3,4 @@\n   - s3:GetObject\n+  - s3:DeleteObject\n+  - s3:PutObject\n   Effect: Allow",
            ),
            changed(
                "changed",
                "prod",
                "assistant",
                "Endpoint/ScalableTarget",
                "AWS::ApplicationAutoScaling::ScalableTarget",
                properties=(PropertyChange(path="MinCapacity", base="2", head="1", effect="update"),),
                diff="@@ -2,2 +2,2 @@\n-MinCapacity: '2'\n+MinCapacity: '1'",
            ),
            changed("changed", "dev", "foundation", "EndpointSecurityGroup", "AWS::EC2::SecurityGroup"),
            changed("added", "dev", "plant-search", "Endpoint", "AWS::SageMaker::Endpoint"),
            changed("added", "dev", "plant-search", "Endpoint/Config", "AWS::SageMaker::EndpointConfig"),
            changed("added", "dev", "plant-search", "Endpoint/Model", "AWS::SageMaker::Model"),
            changed("added", "dev", "plant-search", "Endpoint/Role", "AWS::IAM::Role"),
        ),
        stacks=(
            StackChange(environment="dev", stack="demo-dev-plant-search", action="added", resource_count=23),
            StackChange(
                environment="prod",
                stack="demo-prod-foundation",
                action="changed",
                resource_count=58,
                details=("output CaptureBucketName: demo-prod-capture → demo-prod-captures",),
            ),
        ),
        unchanged_count=611,
    )


def sample() -> Review:
    return Review(
        base=Side(label="main", environments=ENVIRONMENTS, stack_count=18, catalog_versions=("3f1c9a2",)),
        head=Side(label="worktree", environments=ENVIRONMENTS, stack_count=19, catalog_versions=("3f1c9a2",)),
        verdict=Verdict(
            level="danger",
            sentence="2 dangers in prod: bucket CaptureBucket is replaced, endpoint assistant fails to deploy; "
            "role permissions grow; prod costs 1,793 USD per month more (+20%).",
        ),
        gate=Gate(
            conditions=("replace-stateful", "iam-broadened", "cost-increase>10%", "hazard>=danger"),
            failures=(
                GateFailure(condition="replace-stateful", reason="prod: CaptureBucket is replaced."),
                GateFailure(condition="cost-increase>10%", reason="prod: +20%."),
            ),
            waived=(
                WaivedFinding(
                    condition="iam-broadened@staging",
                    finding="staging: app/role: Allow s3:* on *",
                    reason="narrowed in the second step",
                    until="2027-01-31",
                ),
            ),
        ),
        approvals=(
            Approval(
                condition="replace-stateful@prod",
                by=("ada", "company/data-owners"),
                findings=("prod: CaptureBucket is replaced", "prod: Key is replaced"),
            ),
        ),
        notes=(
            Note(
                severity="warning",
                environment="staging",
                text="The base has no plan.json here: costs of base are not compared.",
                detail="plan.json: No such file\nexpected beside manifest.json",
            ),
        ),
        hazards=hazards(),
        security=security(),
        cost=(
            environment_cost(
                "prod",
                Range(minimum=6100, expected=8910, maximum=24300),
                20.2,
                9500,
                assistant_cost(),
                tune_cost("prod"),
            ),
            environment_cost(
                "dev", Range(minimum=310, expected=960, maximum=1400), 16.3, 2500, search_cost()
            ),
            environment_cost(
                "staging",
                Range(minimum=1900, expected=3400, maximum=7700),
                -2.6,
                9000,
                tune_cost("staging"),
            ),
        ),
        selection=selection(),
        config=config(),
        resources=resources(),
    )
