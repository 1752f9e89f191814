import type { TemplateFacts } from './facts.js';
import { hclList } from './hcl-list.js';

/** API group -> the resources of it. */
function rules(permissions: readonly string[]): { group: string; resources: string[] }[] {
  const groups = new Map<string, string[]>();
  for (const permission of permissions) {
    const cut = permission.indexOf('/');
    const group = permission.slice(0, cut);
    groups.set(group, [...(groups.get(group) ?? []), permission.slice(cut + 1)]);
  }
  return [...groups].map(([group, resources]) => ({ group, resources }));
}

export const k8sTerraform = ({ permissions }: TemplateFacts): string => `
resource "kubernetes_namespace" "palisade" {
  metadata {
    name = "palisade"
  }
}

resource "kubernetes_service_account" "palisade" {
  metadata {
    name      = "palisade-read"
    namespace = kubernetes_namespace.palisade.metadata[0].name
  }
}

resource "kubernetes_cluster_role" "palisade" {
  metadata {
    name = "palisade-read"
  }
${rules(permissions)
  .map(
    ({ group, resources }) => `  rule {
    api_groups = ["${group}"]
    resources  = ${hclList(resources, 4)}
    verbs      = ["get", "list"]
  }
`,
  )
  .join('')}}

resource "kubernetes_cluster_role_binding" "palisade" {
  metadata {
    name = "palisade-read"
  }
  role_ref {
    api_group = "rbac.authorization.k8s.io"
    kind      = "ClusterRole"
    name      = kubernetes_cluster_role.palisade.metadata[0].name
  }
  subject {
    kind      = "ServiceAccount"
    name      = kubernetes_service_account.palisade.metadata[0].name
    namespace = kubernetes_namespace.palisade.metadata[0].name
  }
}
`;

const METADATA = { name: 'palisade-read' };

export function k8sCommands({ permissions }: TemplateFacts): string {
  const items = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'palisade' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...METADATA, namespace: 'palisade' } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: METADATA,
      rules: rules(permissions).map(({ group, resources }) => ({ apiGroups: [group], resources, verbs: ['get', 'list'] })),
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: METADATA,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: METADATA.name },
      subjects: [{ kind: 'ServiceAccount', namespace: 'palisade', ...METADATA }],
    },
  ];
  return `
set -eu
kubectl apply -f - <<'EOF'
${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}
EOF
kubectl create token palisade-read --namespace palisade --duration 8760h
`;
}
