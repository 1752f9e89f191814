import type { Severity } from '../../../schema/model.js';
import { hostItems } from '../../normalize/host-finding.js';
import { shortHash } from '../../normalize/identity.js';
import type { ReportItems } from '../../normalize/observation.js';
import { compact } from '../../readers/json/fields.js';
import { textAt } from '../../readers/xml/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import type { ControlReference, ImportItem } from '../../types.js';
import type { NessusHost } from './host.js';

/** What nobody has judged (WARNING, ERROR, SKIPPED) neither raises nor closes. */
const RESULTS: Readonly<Record<string, 'FAIL' | 'PASS'>> = { FAILED: 'FAIL', PASSED: 'PASS' };
/** DISA's categories. */
const CATEGORIES: Readonly<Record<string, Severity>> = { I: 'high', II: 'medium', III: 'low' };
/** Keys of references that name the check itself, not a control. */
const NO_CONTROLS = new Set(['CAT', 'LEVEL', 'RULE-ID', 'STIG-ID', 'VULN-ID', 'GROUP-ID', 'LEGACY-ID', 'STIG-LEGACY']);
const FRAMEWORKS: Readonly<Record<string, string>> = {
  '800-53': 'NIST 800-53',
  '800-53R5': 'NIST 800-53 Revision 5',
  '800-171': 'NIST 800-171',
  CSF: 'NIST CSF',
  CSCV7: 'CIS Controls 7',
  CSCV8: 'CIS Controls 8',
  'PCI-DSSV3.2.1': 'PCI DSS 3.2.1',
  'PCI-DSSV4.0': 'PCI DSS 4.0',
  'ISO/IEC-27001': 'ISO 27001',
};

/** Turns one check of an audit file into its rule and its observation of the engine `agent`. */
export function readComplianceCheck(
  item: XmlElement,
  plugin: string,
  position: string,
  host: NessusHost,
  items: ReportItems,
): ImportItem[] {
  const text = (name: string): string | undefined => textAt(item, `compliance-${name}`);
  const result = RESULTS[text('result')?.toUpperCase() ?? ''];
  if (result === undefined) return [];
  const name = (text('check-name') ?? `Plugin ${plugin}`).replace(/^"|"$/g, '').replace(/\s*:\s*\[(?:FAILED|PASSED)\]$/, '');
  const references = referencesOf(text('reference'));
  const benchmark = text('benchmark-name') ?? text('audit-file');
  const actual = text('actual-value');
  return hostItems(
    {
      source: 'nessus',
      engine: 'agent',
      ruleId: references.find(({ key }) => key === 'VULN-ID')?.value ?? text('check-id') ?? `nessus-${plugin}-${shortHash(name)}`,
      title: name,
      description: text('info'),
      severity: CATEGORIES[references.find(({ key }) => key === 'CAT')?.value ?? ''] ?? 'medium',
      result,
      place: host.place,
      discriminator: text('audit-file'),
      detail: actual,
      guidance: text('solution'),
      urls: text('see-also')?.split(/\s+/) ?? [],
      controls: references
        .filter(({ key }) => !NO_CONTROLS.has(key))
        .map(({ key, value }): ControlReference => ({ framework: FRAMEWORKS[key] ?? key, control_id: value })),
      evidence: compact({
        host: host.name,
        benchmark,
        section: /^(\d+(?:\.\d+)*)\s/.exec(name)?.[1],
        check_result: text('result'),
        fix_text: text('solution'),
        expected: text('policy-value'),
        benchmark_version: text('benchmark-version'),
        profile: text('benchmark-profile'),
        audit_file: text('audit-file'),
        plugin_id: plugin,
      }),
      position,
    },
    items,
  );
}

/** The parts of `800-53|AC-6,CAT|II,Vuln-ID|V-1234`, keys in upper case. */
function referencesOf(text: string | undefined): { key: string; value: string }[] {
  return (text ?? '').split(',').flatMap((part) => {
    const [key = '', value = ''] = part.split('|').map((word) => word.trim());
    return key === '' || value === '' ? [] : [{ key: key.toUpperCase(), value }];
  });
}
