import { RECORD_LIMITS, type RecordLimits } from '../limits.js';
import { damageOf, isDamage } from '../source.js';
import { NotOfFormat, type ReportSource } from '../../types.js';
import { parsePaths, rootNames } from './paths.js';
import { XmlScan } from './scan.js';
import { xmlText } from './text.js';
import type { XmlItem } from './element.js';

/**
 * Reads the elements at the given paths of an XML report, each as a tree of its own, the rest passed over unread: memory is that of the
 * largest element.
 *
 * Paths name elements by their local names from the root on: `NessusClientData_v2/Report/ReportHost/ReportItem`. `//` stands for any depth
 * (`Benchmark//Rule`), `*` for any name, and a path that ends in `/@` gives an `open` item where the element begins, with its attributes
 * and without what is in it (`…/ReportHost/@`): of an element that holds nothing wanted, too. An element inside a wanted one is part of
 * that one. `ancestors` of an item are the elements around it, with their attributes.
 *
 * A document type is passed over; one that declares entities is refused, and a record that refers to an entity that XML does not define is
 * broken. So is one beyond the limits. A report that is not well-formed is read as far as it is, and then `truncated`.
 *
 * Throws NotOfFormat when the report is no XML, its root is none of the paths, it declares entities, or its encoding is unknown; and what
 * the source throws (ReportTooLarge, file errors). Damaged compression is `truncated`.
 *
 * @param limits of one record; what is left out is that of RECORD_LIMITS
 */
export async function* readXml(
  source: ReportSource,
  paths: readonly string[],
  limits: Partial<RecordLimits> = {},
): AsyncGenerator<XmlItem, void, undefined> {
  const scan = new XmlScan(parsePaths(paths), { ...RECORD_LIMITS, ...limits });
  const roots = rootNames(paths);
  let damage: string | undefined;
  try {
    for await (const piece of xmlText(source)) {
      scan.take(piece);
      checkRoot(scan, roots);
      for (const item of scan.items) yield item;
      if (scan.stopped !== undefined) break;
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    damage = damageOf(error);
  }
  if (scan.root === undefined) throw new NotOfFormat(`expected ${expectedOf(roots)}, found ${damage ?? 'nothing'}`);
  const { stopped } = scan;
  if (stopped !== undefined && scan.isWhole)
    yield { kind: 'broken', position: stopped.position, reason: 'there is more after the end of the report' };
  else if (stopped !== undefined) yield { kind: 'truncated', position: stopped.position, reason: `not well-formed: ${stopped.reason}` };
  else if (!scan.isWhole || damage !== undefined) {
    const end = scan.isWhole ? '' : `the report ends in the middle of ${scan.place}`;
    yield { kind: 'truncated', position: scan.place, reason: [end, damage ?? ''].filter((part) => part !== '').join(': ') };
  }
}

const expectedOf = (roots: ReadonlySet<string> | undefined): string =>
  `an XML report${roots === undefined ? '' : ` with the root ${[...roots].join(' or ')}`}`;

function checkRoot({ root, stopped }: XmlScan, roots: ReadonlySet<string> | undefined): void {
  if (root === undefined) {
    if (stopped !== undefined) throw new NotOfFormat(`expected ${expectedOf(roots)}, found other text: ${stopped.reason}`);
  } else if (roots?.has(root) === false) throw new NotOfFormat(`expected ${expectedOf(roots)}, found ${root.slice(0, 100)}`);
}
