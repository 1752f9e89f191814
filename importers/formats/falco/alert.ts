import type { Severity } from '../../../schema/model.js';
import { outsidePlace } from '../../normalize/artifact.js';
import { clusterObjectPlace } from '../../normalize/cluster-object.js';
import { kindOfResource } from '../../normalize/kubernetes-kinds.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { findTechniques, tacticId } from '../../normalize/taxonomy.js';
import { member, objectAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

/** Falco's priorities are those of syslog. */
const PRIORITIES: Readonly<Record<string, Severity>> = {
  emergency: 'critical',
  alert: 'critical',
  critical: 'critical',
  error: 'high',
  warning: 'medium',
  notice: 'low',
  informational: 'info',
  info: 'info',
  debug: 'info',
};

/** Fields in which rules of a deployment, or its plugins, put the digest of what ran. */
const HASHES = ['proc.hash', 'proc.sha256', 'proc.exe.sha256', 'file.hash', 'file.sha256'];

/** Whether a line is an alert, and no other line of Falco's log. */
export const isFalcoAlert = (record: JsonObject): boolean =>
  member(record, 'rule') !== undefined || member(record, 'priority') !== undefined || member(record, 'output_fields') !== undefined;

/** Turns one alert into its rule (the first time) and its observation; what repeats gives nothing more. */
export function readFalcoAlert(record: JsonObject, position: string, options: ImportOptions, items: ReportItems): ImportItem[] {
  const rule = requireText(record, 'rule');
  const fields = objectAt(record, 'output_fields');
  const output = textAt(record, 'output');
  const tags = textsAt(record, 'tags');
  const place = placeOf(record, fields, options);
  const process = textAt(fields, 'proc.name');
  const file = textAt(fields, 'fd.name');
  const about = {
    severity: PRIORITIES[textAt(record, 'priority')?.toLowerCase() ?? ''] ?? ('medium' as const),
    mitre_techniques: findTechniques(tags),
    mitre_tactics: tags.flatMap((tag) => (tag.startsWith('mitre_') ? (tacticId(tag.slice('mitre_'.length)) ?? []) : [])),
  };
  const draft = {
    about,
    place,
    engine: 'cwpp',
    result: 'FAIL',
    rule_id: rule,
    title: rule,
    source: 'falco',
    discriminator: process ?? textAt(fields, 'ka.verb') ?? textAt(fields, 'ct.name'),
    evidence: {
      status_detail: output,
      workload: place.resource_name,
      file,
      process,
      signature: rule,
      command: textAt(fields, 'proc.cmdline'),
      parent: textAt(fields, 'proc.pname'),
      user: textAt(fields, 'user.name') ?? textAt(fields, 'ka.user.name') ?? textAt(fields, 'ct.user'),
      container: textAt(fields, 'container.name'),
      container_id: textAt(fields, 'container.id'),
      image: imageOf(fields),
      image_digest: textAt(fields, 'container.image.digest'),
      file_hash: HASHES.map((name) => textAt(fields, name)).find((hash) => hash !== undefined),
      remote_address: textAt(fields, 'fd.rip') ?? textAt(fields, 'fd.sip'),
      remote_domain: textAt(fields, 'fd.rip.name') ?? textAt(fields, 'fd.sip.name'),
      event: textAt(fields, 'evt.type'),
      event_source: textAt(record, 'source'),
      priority: textAt(record, 'priority'),
      seen_at: textAt(record, 'time'),
    },
    position,
    content: '',
  } as const;
  return items.once(rule, draft, () => ({ ...about, rule_id: rule, engine: 'cwpp', title: rule, source: 'falco', tags }));
}

function imageOf(fields: JsonObject | undefined): string | undefined {
  const [repository, tag] = [textAt(fields, 'container.image.repository'), textAt(fields, 'container.image.tag')];
  return repository === undefined || tag === undefined ? repository : `${repository}:${tag}`;
}

/** The workload of the pod, else the container by its name on its host, else the host. */
function placeOf(record: JsonObject, fields: JsonObject | undefined, options: ImportOptions): PlaceDraft {
  const pod = textAt(fields, 'k8s.pod.name');
  if (pod !== undefined) {
    const place = clusterObjectPlace({ kind: 'Pod', namespace: textAt(fields, 'k8s.ns.name'), name: pod }, undefined, options);
    // a log of one node tells of no other workload
    return options.artifact === undefined ? { ...place, artifact: place.resource_uid } : place;
  }
  const target = textAt(fields, 'ka.target.name');
  if (target !== undefined) {
    const kind = kindOfResource(textAt(fields, 'ka.target.resource') ?? '') ?? 'Resource';
    const place = clusterObjectPlace({ kind, namespace: textAt(fields, 'ka.target.namespace'), name: target }, undefined, options);
    return options.artifact === undefined ? { ...place, artifact: place.resource_uid } : place;
  }
  const host = textAt(record, 'hostname') ?? textAt(fields, 'evt.hostname') ?? options.artifact ?? 'host';
  const id = textAt(fields, 'container.id');
  const container = id === undefined || id === 'host' ? undefined : (textAt(fields, 'container.name') ?? id);
  const name = container === undefined ? host : `${host}/${container}`;
  const place = outsidePlace(name, container === undefined ? 'host' : 'container', options, container ?? host);
  return { ...place, artifact: options.artifact ?? name };
}
