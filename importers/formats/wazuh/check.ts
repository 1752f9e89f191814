import { hostItems } from '../../normalize/host-finding.js';
import type { PlaceDraft, ReportItems } from '../../normalize/observation.js';
import { asObject, compact, listAt, objectsAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ControlReference, ImportItem } from '../../types.js';

/** Keys of `compliance` -> the frameworks that they mean. */
const FRAMEWORKS: Readonly<Record<string, string>> = {
  cis: 'CIS Benchmark',
  cis_csc: 'CIS Controls',
  cis_csc_v7: 'CIS Controls 7',
  cis_csc_v8: 'CIS Controls 8',
  pci_dss: 'PCI DSS',
  'pci_dss_v3.2.1': 'PCI DSS 3.2.1',
  'pci_dss_v4.0': 'PCI DSS 4.0',
  hipaa: 'HIPAA',
  gdpr: 'GDPR',
  gdpr_IV: 'GDPR',
  gpg13: 'GPG 13',
  gpg_13: 'GPG 13',
  tsc: 'SOC 2',
  soc_2: 'SOC 2',
  nist_800_53: 'NIST 800-53',
  'nist_sp_800-53': 'NIST 800-53',
  iso_27001: 'ISO 27001',
  'iso_27001-2013': 'ISO 27001:2013',
  'cmmc_v2.0': 'CMMC 2.0',
};

/** Turns one check of a policy (Security Configuration Assessment) into its rule and observation. */
export function readCheck(
  check: JsonObject,
  policy: string | undefined,
  place: PlaceDraft,
  position: string,
  items: ReportItems,
): ImportItem[] {
  const id = requireText(check, 'id');
  const word = textAt(check, 'result')?.toLowerCase() ?? textAt(check, 'status')?.toLowerCase();
  const result = word === 'failed' ? 'FAIL' : word === 'passed' || word === 'not applicable' ? 'PASS' : undefined;
  if (result === undefined) return [];
  return hostItems(
    {
      source: 'wazuh',
      engine: 'agent',
      ruleId: `wazuh-sca-${id}`,
      title: textAt(check, 'title') ?? `Check ${id}`,
      description:
        [textAt(check, 'description'), textAt(check, 'rationale')].filter((text) => text !== undefined).join('\n\n') || undefined,
      severity: 'medium',
      result,
      place,
      detail: textAt(check, 'reason'),
      guidance: textAt(check, 'remediation'),
      urls: (textAt(check, 'references') ?? '').split(/,\s*/),
      controls: complianceOf(check),
      evidence: compact({
        host: place.resource_uid,
        benchmark: policy,
        section: complianceOf(check).find(({ framework }) => framework === 'CIS Benchmark')?.control_id,
        check_result: word,
        fix_text: textAt(check, 'remediation'),
        condition: textAt(check, 'condition'),
        rules: objectsAt(check, 'rules').flatMap((rule) => textAt(rule, 'rule') ?? []),
        command: textAt(check, 'command'),
        file: textsAt(check, 'file'),
      }),
      position,
    },
    items,
  );
}

/** A list of `{key, value}` by the API, members in alerts; several controls in one value are parted by commas. */
function complianceOf(check: JsonObject): ControlReference[] {
  const listed = objectsAt(check, 'compliance').map((entry) => [textAt(entry, 'key') ?? '', textAt(entry, 'value') ?? ''] as const);
  const members = listAt(check, 'compliance').length > 0 ? [] : Object.entries(asObject(check['compliance']) ?? {});
  return [...listed, ...members].flatMap(([key, value]) => (typeof value === 'string' ? controlsOf(key, value.split(',')) : []));
}

/** The controls of a framework that Wazuh calls `key`. */
export function controlsOf(key: string, ids: readonly string[]): ControlReference[] {
  const framework = Object.hasOwn(FRAMEWORKS, key) ? FRAMEWORKS[key] : key === '' ? undefined : key;
  if (framework === undefined) return [];
  return ids
    .map((id) => id.trim())
    .filter((id) => id !== '')
    .map((id) => ({ framework, control_id: id }));
}
