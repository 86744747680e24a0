"""The private names of ministack that the plugin uses: a new release that moves one must be noticed at once.

Each entry is a module and the attributes that are read, called or replaced there.
"""

import importlib

USED_NAMES: dict[str, tuple[str, ...]] = {
    "ministack.app": ("SERVICE_HANDLERS", "app", "main", "_reset_all_state"),
    "ministack.core.lambda_runtime": ("ProvidedWorker", "reset"),
    "ministack.core.responses": (
        "AccountRegionScopedDict",
        "error_response_json",
        "get_account_id",
        "get_region",
        "json_response",
        "new_uuid",
    ),
    "ministack.core.router": ("SERVICE_PATTERNS",),
    "ministack.services.alb": ("_rules", "_target_group_full_name_from_arn", "_tgs"),
    "ministack.services.apigateway_v1": ("_request_validators", "_resources", "_rest_apis", "_stages_v1"),
    "ministack.services.budgets": ("_DISPATCH", "_budget_arn", "_budgets"),
    "ministack.services.cloudcontrol": ("_get_resource", "json_response"),
    "ministack.services.cloudformation": ("_stacks",),
    "ministack.services.cloudformation.changesets": ("_IMPORT_LOOKUPS",),
    "ministack.services.cloudformation.custom_resource": ("_lock", "_pending", "_response_url"),
    "ministack.services.cloudformation.engine": ("_evaluate_conditions",),
    "ministack.services.cloudformation.provisioners": (
        "_CUSTOM_NAME_REPLACEMENT",
        "_REPLACING_PROPERTIES",
        "_RESOURCE_HANDLERS",
        "_STACK_TAG_PROPERTY",
        "_cw_metric_alarm_record",
        "_ec2_sg_permissions",
    ),
    "ministack.services.cloudformation.stacks": (
        "_add_event",
        "_runs_on_worker_thread",
        "_sends_back_failed_update",
    ),
    "ministack.services.cloudformation.wait_conditions": ("handle_url",),
    "ministack.services.cloudwatch": (
        "_alarms",
        "_composite_alarms",
        "_put_composite_alarm",
        "_resource_tags",
    ),
    "ministack.services.cloudwatch_logs": ("_log_groups",),
    "ministack.services.ec2": (
        "_ACTION_MAP",
        "_flow_logs",
        "_parse_filters",
        "_security_groups",
        "_subnets",
        "_tags",
        "_vpc_endpoints",
        "_vpce_fields_xml",
        "_vpcs",
    ),
    "ministack.services.ecs": (
        "_FARGATE_PROVIDERS",
        "_capacity_providers",
        "_clusters",
        "_dispatch_action",
        "_resolve_cluster_name",
        "_resolve_td_key",
        "_services",
        "_tags",
        "_task_defs",
    ),
    "ministack.services.eks": (
        "_create_nodegroup",
        "_create_pod_identity_association",
        "_delete_nodegroup",
        "_delete_pod_identity_association",
        "_nodegroups",
        "_pia_key",
        "_pod_identity_associations",
        "_update_pod_identity_association",
    ),
    "ministack.services.eventbridge": ("_put_events",),
    "ministack.services.iam": ("_instance_profiles", "_roles"),
    "ministack.services.kms": ("_aliases", "_keys"),
    "ministack.services.lambda_svc": (
        "_execute_function_provided",
        "_execute_function_with_config_scope",
        "_functions",
        "_layer_content_url",
        "_presigned_code_url",
        "_vpc_config_with_id",
    ),
    "ministack.services.s3": (
        "_bucket_encryption",
        "_bucket_lifecycle",
        "_bucket_logging_config",
        "_bucket_tags",
        "_buckets",
        "_get_object",
        "_put_bucket_encryption",
        "_put_bucket_lifecycle",
        "_put_bucket_logging",
    ),
    "ministack.services.scheduler": ("_schedules",),
    "ministack.services.sns": ("_topics",),
    "ministack.services.stepfunctions": (
        "_AWS_SDK_SERVICE_MAP",
        "_ExecutionError",
        "_SERVICE_DISPATCH",
        "_add_event",
        "_apply_catcher",
        "_apply_jsonata_output",
        "_apply_output_path",
        "_create_state_machine",
        "_emit_execution_status_event",
        "_error_matches",
        "_evaluate_rule",
        "_execute_task",
        "_executions",
        "_fail_execution",
        "_fail_state_error",
        "_invoke_aws_sdk_integration",
        "_invoke_nested_start_execution",
        "_invoke_nested_start_execution_sync",
        "_invoke_resource_with_timeout",
        "_jsonata_state_field",
        "_parse_jsonpath_tokens",
        "_register_sfn_jsonata_functions",
        "_resolve_path",
        "_resolve_path_or_ctx",
        "_run_execution",
        "_run_parallel_branches",
        "_run_sub_machine",
        "_scaled_sleep",
        "_state_machines",
        "_state_query_language",
        "_stop_execution",
        "_validate_definition_jsonata",
        "_validate_state_machine_definition",
        "now_iso",
    ),
    "ministack.services.sts": ("_gen_session_token",),
}


def missing_names() -> list[str]:
    """Return the names that the installed ministack does not have."""
    missing = []
    for module_name, attributes in USED_NAMES.items():
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError:
            missing.append(module_name)
            continue
        missing += [f"{module_name}.{name}" for name in attributes if not hasattr(module, name)]
    return missing
