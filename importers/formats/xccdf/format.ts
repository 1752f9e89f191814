import { ReportItems } from '../../normalize/observation.js';
import { importElements } from '../../normalize/record-items.js';
import { timeInXml } from '../../normalize/report-time.js';
import { attributeOf, textOf } from '../../readers/xml/fields.js';
import type { XmlElement } from '../../readers/xml/element.js';
import { outlineXml } from '../../readers/xml/outline.js';
import { readXml } from '../../readers/xml/records.js';
import { NotOfFormat, type ReportFormat } from '../../types.js';
import { readRuleResult } from './result.js';
import { XccdfRun } from './run.js';

/** A benchmark with its results, results alone, and both in a collection of reports (ARF). */
const ROOTS = ['Benchmark', 'TestResult', 'asset-report-collection', 'data-stream-collection'];
const at = (path: string): string[] => ROOTS.map((root) => `${root}//${path}`);
const inResult = (name: string): string[] => [`TestResult/${name}`, ...at(`TestResult/${name}`)];
const inBenchmark = (name: string): string[] => [`Benchmark/${name}`, ...at(`Benchmark/${name}`)];
const RESULTS = inResult('rule-result');

/** Results of XCCDF 1.1 and 1.2, alone and in ARF: of OpenSCAP, CIS-CAT, DISA's SCC. One result of one rule is one record. */
export const format: ReportFormat = {
  name: 'xccdf',
  label: 'XCCDF results (OpenSCAP, SCC, CIS-CAT), also in ARF',
  engines: ['agent', 'vulnerability'],
  detection: 'An XML report with the root `Benchmark` or `TestResult` of XCCDF, or `asset-report-collection` of ARF.',
  produce: 'oscap xccdf eval --profile cis --results results.xml /usr/share/xml/scap/ssg/content/ssg-rhel9-ds.xml',
  outsideClouds: true,
  observedAt: timeInXml('//TestResult/@', (result) => attributeOf(result, 'end-time') ?? attributeOf(result, 'start-time')),
  detect(head) {
    const outline = outlineXml(head);
    if (outline === undefined) return false;
    if (outline.root === 'asset-report-collection') return outline.namespace.includes('asset-reporting-format');
    return (outline.root === 'Benchmark' || outline.root === 'TestResult') && outline.namespace.includes('nist.gov/xccdf');
  },
  async *read(source, options) {
    const items = new ReportItems();
    const run = new XccdfRun(options);
    let isWhole = true;
    const taking = (paths: string[], take: (element: XmlElement) => void) =>
      Object.fromEntries(paths.map((path) => [path, (element: XmlElement) => (take(element), [])]));
    const around = {
      ...Object.fromEntries(
        at('Rule').map((path) => [
          path,
          (rule: XmlElement, { ancestors }: { ancestors: readonly XmlElement[] }) => (run.rule(rule, ancestors), []),
        ]),
      ),
      ...taking(inBenchmark('title'), (title) => (run.benchmark = textOf(title))),
      ...taking(inResult('target'), (target) => run.target(textOf(target))),
      ...taking(inResult('target-address'), (address) => run.address(textOf(address))),
      ...taking(inResult('target-facts'), (facts) => run.facts(facts)),
      ...taking(inResult('profile'), (profile) => (run.profile = attributeOf(profile, 'idref'))),
    };
    const opened = [...at('TestResult/@'), 'TestResult/@'];
    const read = readXml(source, [...opened, ...Object.keys(around), ...RESULTS]);
    for await (const item of importElements(
      read,
      (result, { position }) => readRuleResult(result, position, run, items),
      () => (run.begin(), []),
      around,
    )) {
      isWhole &&= item.kind !== 'truncated';
      yield item;
    }
    if (!run.hasBegun && isWhole) throw new NotOfFormat('expected results of XCCDF (TestResult), found a benchmark without any');
  },
};
