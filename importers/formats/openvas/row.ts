import { findCves } from '../../normalize/taxonomy.js';
import { requireText, textAt, type JsonObject } from '../../readers/json/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import { madeElement } from '../../readers/xml/made.js';

/** The columns that each of its CSV reports has. */
export const COLUMNS = ['IP', 'Hostname', 'Port', 'NVT Name', 'NVT OID'];

/** A row of a CSV report as the element `result` that the XML report has for it. */
export function resultOfRow(row: JsonObject): XmlElement {
  const text = (name: string): string | undefined => textAt(row, name);
  const port = text('port');
  const name = text('hostname');
  const cves = findCves([text('cves') ?? '', text('nvt oid') ?? '']);
  const urls = (text('other references') ?? '').match(/https?:\/\/[^\s,]{1,2000}/g) ?? [];
  const solutionType = text('solution type');
  const product = /cpe:\/[aoh]:[^\s]{1,500}/.exec(`${text('product detection result') ?? ''} ${text('summary') ?? ''}`)?.[0];
  const details =
    product === undefined
      ? []
      : [
          madeElement('detail', {}, [
            ['name', 'product'],
            ['value', product],
          ]),
        ];
  const summary = text('summary');
  const insight = text('vulnerability insight');
  return madeElement('result', {}, [
    madeElement('host', {}, [requireText(row, 'ip'), ['hostname', name === text('ip') ? undefined : name]]),
    ['port', port === undefined ? undefined : `${port}/${text('port protocol') ?? 'tcp'}`],
    madeElement('nvt', { oid: requireText(row, 'nvt oid') }, [
      ['name', requireText(row, 'nvt name')],
      ['cvss_base', text('cvss')],
      ['tags', [summary && `summary=${summary}`, insight && `insight=${insight}`].filter(Boolean).join('|') || undefined],
      madeElement('solution', { type: solutionType }, [text('solution') ?? '']),
      madeElement('refs', {}, [
        ...cves.map((id) => madeElement('ref', { type: 'cve', id }, [])),
        ...urls.map((id) => madeElement('ref', { type: 'url', id }, [])),
      ]),
    ]),
    ['threat', text('severity')],
    ['severity', text('cvss')],
    madeElement('qod', {}, [['value', text('qod')]]),
    ['description', text('specific result')],
    madeElement('detection', {}, [madeElement('result', {}, [madeElement('details', {}, details)])]),
  ]);
}
