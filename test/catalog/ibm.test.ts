import { FRAMEWORKS_FOLDER } from '../../catalog/assessed.js';
import { readFrameworks, RuleSelector } from '../../catalog/frameworks.js';
import { sampleVerdict } from '../../catalog/samples.js';
import { expandWholeCatalog } from './whole-catalog.js';

const { rules } = expandWholeCatalog();
const byId = new Map(rules.map((rule) => [rule.rule_id, rule]));
const verdict = (id: string, sample: Record<string, unknown>): string => sampleVerdict(byId.get(id)!, sample).result;
const withOthers = (configuration: object, type: string, ...configs: object[]) => ({
  ...configuration,
  $companions: configs.map((config) => ({ type, config })),
});

describe('what an account of IBM Cloud keeps apart', () => {
  const route = (...locations: string[]) => ({ rules: [{ target_ids: ['t'], locations }] });

  it('counts routes of activity events together', () => {
    const id = 'ibm.atracker.route.logging_all_regions';
    expect(verdict(id, route('us-south'))).toBe('FAIL');
    expect(verdict(id, route('global'))).toBe('FAIL');
    expect(verdict(id, withOthers(route('us-south'), 'ibm_atracker_route', route('*')))).toBe('PASS');
    expect(verdict('ibm.atracker.route.logging_global_events', withOthers(route('us-south'), 'ibm_atracker_route', route('global')))).toBe(
      'PASS',
    );
  });

  it("counts policies of a key's instance for the key", () => {
    const key = { key_name: 'k', instance_id: 'i' };
    const policies = (instance_id: string) => ({ instance_id, rotation: [{ enabled: true }], dual_auth_delete: [{ enabled: true }] });
    for (const id of ['ibm.kms.key.key_rotation_policy', 'ibm.kms.key.deletion_protection_dual_authorization']) {
      expect(verdict(id, key)).toBe('FAIL');
      expect(verdict(id, withOthers(key, 'ibm_kms_instance_policies', policies('i')))).toBe('PASS');
      expect(verdict(id, withOthers(key, 'ibm_kms_instance_policies', policies('another')))).toBe('FAIL');
    }
    expect(verdict('ibm.kms.key.key_rotation_policy', { ...key, standard_key: true })).toBe('NOT_APPLICABLE');
  });

  it('counts an enforced context-based restriction for buckets, and no other', () => {
    const restriction = (more: object) => ({
      contexts: [{ attributes: [{ name: 'networkZoneId', value: 'z' }] }],
      resources: [{ attributes: [{ name: 'serviceName', value: 'cloud-object-storage' }] }],
      ...more,
    });
    const judged = (config: object) => verdict('ibm.cos.bucket.open_cidr_allowed_ip', withOthers({}, 'ibm_cbr_rule', config));
    expect(judged(restriction({}))).toBe('PASS');
    expect(judged(restriction({ enforcement_mode: 'report' }))).toBe('FAIL');
    expect(judged(restriction({ contexts: [{ attributes: [{ name: 'endpointType', value: 'public' }] }] }))).toBe('FAIL');
    expect(judged(restriction({ resources: [{ attributes: [{ name: 'serviceName', value: 'kms' }] }] }))).toBe('FAIL');
  });

  it('asks services of their endpoints only where they have a choice', () => {
    const id = 'ibm.resource.instance.public_endpoint_data_service';
    expect(verdict(id, { service: 'messagehub', plan: 'standard' })).toBe('NOT_APPLICABLE');
    expect(verdict(id, { service: 'messagehub', plan: 'enterprise-3nodes-2tb' })).toBe('FAIL');
    expect(verdict(id, { service: 'kms', plan: 'tiered-pricing', parameters_json: '{"allowed_network": "private-only"}' })).toBe('PASS');
    expect(verdict(id, { service: 'cloud-object-storage', plan: 'standard' })).toBe('NOT_APPLICABLE');
  });

  it('sees alerts in both forms of them, and none that is switched off', () => {
    const id = 'ibm.atracker.settings.activity_alert.key_deletion';
    const query = 'action:"kms.secrets.delete"';
    const old = (more: object) => withOthers({}, 'ibm_logs_alert', { filters: [{ text: query }], ...more });
    expect(verdict(id, old({ is_active: true }))).toBe('PASS');
    expect(verdict(id, old({ is_active: false }))).toBe('FAIL');
    const definition = { logs_threshold: [{ logs_filter: [{ simple_filter: [{ lucene_query: query }] }] }] };
    expect(verdict(id, withOthers({}, 'ibm_logs_alert_definition', definition))).toBe('PASS');
    expect(verdict('ibm.atracker.settings.activity_alert.database_changes', withOthers({}, 'ibm_logs_alert_definition', definition))).toBe(
      'FAIL',
    );
  });
});

describe('the CIS benchmark of IBM Cloud', () => {
  const frameworks = readFrameworks(FRAMEWORKS_FOLDER, []);
  const edition = (id: string) => frameworks.find(({ framework_id }) => framework_id === id)!;
  const selector = new RuleSelector(rules);

  it('has its ten sections, and waits for no rule', () => {
    const { controls } = edition('cis_ibm_1_1_0');
    expect(new Set(controls.map(({ control_id }) => Number(control_id.split('.')[0])))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
    expect(controls.filter(({ planned }) => planned !== undefined)).toEqual([]);
  });

  it('maps a control to what it names, never to a family of rules at large', () => {
    const wide = edition('cis_ibm_1_1_0').controls.flatMap(({ control_id, selectors }) => {
      const ids = new Set(selectors.flatMap((text) => selector.select(text).map(({ rule_id }) => rule_id)));
      // alerts are one subject each, administrators' rights one kind of policy each
      return ids.size > 8 && control_id !== '3.4' ? [`${control_id}: ${ids.size}`] : [];
    });
    expect(wide).toEqual([]);
  });

  it('says the same of a control in both editions', () => {
    const newer = new Map(edition('cis_ibm_1_1_0').controls.map((control) => [control.control_id, control]));
    for (const control of edition('cis_ibm_1_0_0').controls) expect(control).toEqual(newer.get(control.control_id));
  });
});
