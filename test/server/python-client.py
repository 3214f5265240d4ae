"""What the Kubernetes client for Python is asked to do against a served cluster; its results go to standard output."""

import json
import sys

from kubernetes import client, config, watch

config.load_kube_config(config_file=sys.argv[1])
core = client.CoreV1Api()
told = {}

made = core.create_namespaced_config_map(
    "default", {"metadata": {"name": "a"}, "data": {"x": "1"}}
)
told["created"] = made.data

patched = core.patch_namespaced_config_map("a", "default", {"data": {"y": "2"}})
told["patched"] = patched.data

made.data = {"x": "3"}
try:
    core.replace_namespaced_config_map("a", "default", made)
    told["conflict"] = None
except client.ApiException as refusal:
    told["conflict"] = [refusal.status, json.loads(refusal.body)["reason"]]

applied, status, _ = client.ApiClient().call_api(
    "/api/v1/namespaces/default/configmaps/b",
    "PATCH",
    query_params=[("fieldManager", "python")],
    header_params={"Content-Type": "application/apply-patch+yaml"},
    body=json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}, "data": {"z": "9"}}),
    response_type="V1ConfigMap",
    auth_settings=["BearerToken"],
)
told["applied"] = [status, applied.data, applied.metadata.managed_fields[0].operation]

seen = []
stream = watch.Watch()
begin = core.list_namespaced_config_map("default").metadata.resource_version
core.patch_namespaced_config_map("b", "default", {"data": {"z": "10"}})
core.delete_namespaced_config_map("a", "default")
for event in stream.stream(
    core.list_namespaced_config_map, "default", resource_version=begin, timeout_seconds=30
):
    seen.append([event["type"], event["object"].metadata.name])
    if event["type"] == "DELETED":
        stream.stop()
told["seen"] = seen

pod = core.create_namespaced_pod(
    "default", {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
)
told["pod"] = [pod.status.phase, pod.spec.restart_policy]
told["deployments"] = len(client.AppsV1Api().list_deployment_for_all_namespaces().items)
print(json.dumps(told))
