import { jsonFormat } from '../../normalize/json-format.js';
import { readColumns } from '../../normalize/columns.js';
import { coverage } from '../../normalize/scope.js';
import { originOf } from '../../normalize/web-finding.js';
import { asObject, member, plainText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { JsonOutline } from '../../readers/json/outline.js';
import type { ImportOptions, ReportFormat, ReportSource } from '../../types.js';
import { MAX_INSTANCES, zapItems, type ZapInstance } from './alert.js';

const ALERTS = 'alerts[*]';
/** What the interface calls risks and confidences -> the codes that reports have for them. */
const RISKS = ['informational', 'low', 'medium', 'high'];
const CONFIDENCES = ['false positive', 'low', 'medium', 'high', 'user confirmed'];
/** What reports have other names for. */
const NAMES: Readonly<Record<string, string>> = { pluginid: 'pluginId', desc: 'description', otherinfo: 'other', uri: 'url' };

const isAlert = (outline: JsonOutline): boolean =>
  outline.has('alerts[].pluginId') && outline.has('alerts[].risk') && outline.has('alerts[].confidence') && outline.has('alerts[].url');

/** The places of an alert on a site: the first ones, and how many there are. */
interface Places {
  readonly instances: ZapInstance[];
  count: number;
  isTold: boolean;
}

const placeOf = (record: JsonObject): ZapInstance => {
  const kept = Object.fromEntries(
    ['uri', 'method', 'param', 'attack', 'evidence'].map((name) => [name, textAt(record, NAMES[name] ?? name)]),
  );
  return (name) => kept[name];
};
const isFalse = (confidence: unknown): boolean => plainText(confidence).toLowerCase() === CONFIDENCES[0];
const keyOf = (url: unknown, ...names: unknown[]): string => [originOf(plainText(url)), ...names.map(plainText)].join('\n');
const idOf = (record: JsonObject): unknown => member(record, 'alertRef') || member(record, 'pluginId');

/** The interface tells an alert anew for each place, while one on a site is one finding: its places are gathered first. */
async function gather(source: ReportSource): Promise<Map<string, Places>> {
  const gathered = new Map<string, Places>();
  const names = ['alertRef', 'pluginId', 'confidence', 'url', 'method', 'param', 'attack', 'evidence'] as const;
  for await (const { values } of readColumns(source, [ALERTS], names)) {
    if (isFalse(values.confidence)) continue;
    const key = keyOf(values.url, idOf(values));
    const places = gathered.get(key) ?? { instances: [], count: 0, isTold: false };
    if (places.instances.length < MAX_INSTANCES) places.instances.push(placeOf(values));
    places.count++;
    gathered.set(key, places);
  }
  return gathered;
}

/** Answers of ZAP's interface (`/JSON/core/view/alerts/`). An alert at one place is one record; those on a site with one reference are one finding. */
export const apiOf = (named: Pick<ReportFormat, 'name' | 'label' | 'engines' | 'detection' | 'produce' | 'outsideClouds'>): ReportFormat =>
  jsonFormat<{ places: Map<string, Places>; options: ImportOptions }>({
    ...named,
    expected: 'alerts of ZAP\'s interface ({"alerts": [{"pluginId": ..., "risk": ..., "url": ...}]})',
    roots: ['object'],
    isOfFormat: isAlert,
    markers: ['alerts'],
    records: [ALERTS],
    context: async (_, options, source) => ({ places: await gather(source), options }),
    covers: ({ places, options }) =>
      [...new Set([...places.keys()].map((key) => key.split('\n')[0]!))].flatMap((origin) =>
        origin === '' ? [] : [coverage('secops', origin, 'zap', options)],
      ),
    convert(record, { position }, { places, options }, items) {
      const text = (name: string): string | undefined => {
        if (name === 'riskcode') return codeOf(RISKS, textAt(record, 'risk'));
        if (name === 'confidence') return codeOf(CONFIDENCES, textAt(record, 'confidence')?.replace(/^confirmed$/i, 'user confirmed'));
        if (name === 'count') return String(all?.count ?? 1);
        return textAt(record, NAMES[name] ?? name);
      };
      const all = places.get(keyOf(textAt(record, 'url'), idOf(record)));
      const isFirst = all?.isTold !== true;
      if (all !== undefined) all.isTold = true;
      const tags = Object.keys(asObject(member(record, 'tags')) ?? {});
      const instances = all?.instances ?? [placeOf(record)];
      const told = zapItems({ text, instances, tags }, originOf(textAt(record, 'url')), position, options, items);
      return isFirst ? told : [];
    },
  });

function codeOf(words: readonly string[], word: string | undefined): string | undefined {
  const code = words.indexOf(word?.toLowerCase() ?? '');
  return code < 0 ? undefined : String(code);
}
