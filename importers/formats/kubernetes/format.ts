import { isJson, readManifests, type ManifestItem } from '../../readers/yaml/documents.js';
import { parseCloudName } from '../../normalize/cloud.js';
import { KubernetesEdges } from './edges.js';
import { listedObjects, objectItems } from './objects.js';
import { readHead } from '../../readers/source.js';
import { readTopLevel } from '../../readers/json/top-level.js';
import { NotOfFormat, type ImportItem, type ImportOptions, type ReportSource, type ReportFormat } from '../../types.js';

const FORMAT = 'kubernetes';
const API_VERSION = String.raw`(?:v\d\w*|[a-z0-9][\w.-]*\/v\d\w*)`;
const FOREIGN = /^["']?(?:audit\.k8s\.io|aquasecurity\.github\.io|wgpolicyk8s\.io|spdx\.softwarecomposition\.kubescape\.io)\//;

/** What the first of a list's items is of. */
const LISTED = /^items:[ \t]*\r?\n[ \t]*- apiVersion:[ \t]*(\S+)/m;

/**
 * Kubernetes manifests: YAML with any number of documents, a JSON object, lists as `kubectl get -o json` or `-o yaml` gives them. Any
 * kind is an asset; edges say what uses, selects, grants and owns what within the report. Values of Secrets are redacted. Reports that
 * scanners keep in the cluster are records without an asset. One document is in memory at a time, beside names and labels for edges.
 */
export const format: ReportFormat = {
  name: FORMAT,
  label: 'Kubernetes manifests (YAML or JSON)',
  engines: ['di', 'check', 'container-security', 'network-security', 'iam'],
  inventory: true,
  detection: 'Top-level `apiVersion` and `kind` with `metadata` in a YAML document or JSON object, or a JSON list of such `items`.',
  produce: 'kubectl get all,ingress,networkpolicy --all-namespaces -o yaml > report.yaml',
  detect: detectManifest,
  read: readKubernetes,
};

function detectManifest(head: string): boolean {
  if (isJson(head)) return detectJson(head);
  return head.split(/^(?:---|\.\.\.)(?=\s|$)/m).some((text) => {
    const version = new RegExp(String.raw`^apiVersion:[ \t]*["']?(${API_VERSION})["']?[ \t]*(?:#.*)?\r?$`, 'm').exec(text)?.[1];
    return (
      version !== undefined &&
      !FOREIGN.test(version) &&
      !FOREIGN.test(LISTED.exec(text)?.[1] ?? '') &&
      /^kind:[ \t]*["']?[A-Z]\w*["']?[ \t]*(?:#.*)?\r?$/m.test(text) &&
      /^(?:metadata|items):/m.test(text)
    );
  });
}

function detectJson(head: string): boolean {
  const inner = /^\s*\[/.test(head) ? head.replace(/^\s*\[/, '') : head;
  const top = readTopLevel(inner);
  const version = top.get('apiVersion') ?? '';
  if (!new RegExp(String.raw`^"${API_VERSION}"`).test(version) || FOREIGN.test(version)) return false;
  const items = top.get('items');
  if (items !== undefined)
    return new RegExp(String.raw`^\[\s*(?:\]|\{\s*"(?:apiVersion"\s*:\s*"(?!aquasec|wgpolicy)${API_VERSION}"|metadata"|kind"))`).test(
      items,
    );
  return /^"[A-Z]\w*"/.test(top.get('kind') ?? '') && top.get('metadata')?.startsWith('{') === true;
}

async function* readKubernetes(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  const head = await readHead(source);
  const { artifact = '' } = options;
  const edges = new KubernetesEdges(parseCloudName(artifact) && artifact);
  const early: ImportItem[] = [];
  const cut: ImportItem[] = [];
  let found = detectManifest(head);
  for await (const item of flattenLists(readManifests(source, head))) {
    if (item.kind === 'truncated') cut.push(item);
    else {
      const made = [...objectItems(item, options, edges, FORMAT)];
      found ||= made.some(({ kind }) => kind === 'record');
      // Broken documents are held back until the report is known to be of the format.
      if (found) yield* early.splice(0);
      if (found) yield* made;
      else early.push(...made.slice(0, 1_000 - early.length));
    }
  }
  if (!found) {
    const why = cut[0]?.kind === 'truncated' ? `: ${cut[0].reason}` : '';
    throw new NotOfFormat(`expected Kubernetes manifests with apiVersion and kind, found none${why}`);
  }
  for (const edge of edges.edges()) yield { kind: 'edge', edge };
  yield* cut;
}

/** The objects in `List` objects, each by itself. */
async function* flattenLists(items: AsyncIterable<ManifestItem>): AsyncGenerator<ManifestItem> {
  for await (const item of items) {
    if (item.kind !== 'document') yield item;
    else for (const [value, position] of listedObjects(item.value, item.position)) yield { ...item, value, position };
  }
}
