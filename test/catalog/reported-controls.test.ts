import { loadFrameworks } from '../../catalog/assessed.js';
import { is80053, isCisBenchmark, mapControl, readAliases } from '../../catalog/reported-controls.js';

const mapped = (framework: string, control_id: string, provider: 'aws' | 'gcp' = 'aws') => {
  const { framework: id, controlId } = mapControl({ framework, control_id }, provider);
  return `${id} ${controlId}`;
};

it('every alias names a framework of the catalog', () => {
  const ids = new Set(loadFrameworks().map(({ framework_id }) => framework_id));
  const named = Object.values(readAliases()).flatMap((target) => (typeof target === 'string' ? [target] : Object.values(target)));
  expect(named.filter((id) => !ids.has(id))).toEqual([]);
});

it.each([
  ['NIST-800-53-Revision-5', 'ac_3_4', 'nist_800_53_r5 AC-3(4)'],
  ['NIST.800-53.r5', 'AC-03(04)', 'nist_800_53_r5 AC-3(4)'],
  ['NIST-800-53-Revision-5', 'ac_3_4_c', 'nist_800_53_r5 AC-3(4)(c)'],
  ['NIST-800-53-Revision-5', 'cm_6_a', 'nist_800_53_r5 CM-6a'],
  ['NIST SP 800-53 Rev 5', 'AC-3', 'nist_800_53_r5 AC-3'],
  ['soc2', 'cc_6_1', 'soc2_tsc CC6.1'],
  ['PCI DSS v3.2.1', '2.1.1', 'pci_dss_3_2_1 2.1.1'],
  ['CIS-1.5', '1.20', 'cis_aws_1_5_0 1.20'],
  ['cis_aws_1_5_0', '1.20', 'cis_aws_1_5_0 1.20'],
  ['A house standard', 'h_1', 'A house standard h_1'],
])('%s %s is %s', (framework, id, expected) => {
  expect(mapped(framework, id)).toBe(expected);
});

it('a benchmark is that of the provider, and stays in the words of the report where that has none of the version', () => {
  expect(mapped('CIS-2.0', '1.1', 'gcp')).toBe('cis_gcp_2_0_0 1.1');
  expect(mapped('CIS-1.5', '1.20', 'gcp')).toBe('CIS-1.5 1.20');
});

it('every control of the catalog is found by its own id', () => {
  const wrong = loadFrameworks().flatMap(({ framework_id, controls }) =>
    controls
      .filter(({ control_id, title }) => mapControl({ framework: framework_id, control_id }, 'aws').controlName !== title)
      .map(({ control_id }) => `${framework_id} ${control_id}`),
  );
  expect(wrong).toEqual([]);
});

it('knows NIST SP 800-53 and CIS benchmarks from what is named like them', () => {
  expect(['nist_800_53_r5', 'NIST.800-53.r4', 'NIST SP 800-171', 'nist_csf_2_0', 'NIST SP 800-530'].map(is80053)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(['cis_aws_1_5_0', 'CIS-1.5', 'cis_controls_8_1', 'CIS Controls v8', 'CISA'].map(isCisBenchmark)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
