import { assessmentItem } from '../../normalize/assessment.js';
import { codePlace } from '../../normalize/artifact.js';
import type { ReportItems } from '../../normalize/observation.js';
import { vulnerabilityItems } from '../../normalize/package-vulnerability.js';
import { readPackageUrl, type PackageName } from '../../normalize/purl.js';
import { asObject, BrokenRecord, listAt, objectAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import type { ImportItem, ImportOptions } from '../../types.js';

const STATUSES = ['not_affected', 'affected', 'fixed', 'under_investigation'];
/** Types of package URLs that name an artifact in which packages are. */
const ARTIFACTS = new Set(['oci', 'docker', 'github', 'bitbucket', 'gitlab', 'generic']);

/** What of a document its statements share. */
export interface OpenVexContext {
  author: string | undefined;
  options: ImportOptions;
}

/** A product of a statement: the artifacts that it may be, and the packages of them; none where it speaks of all. */
interface Product {
  artifacts: string[] | undefined;
  packages: (PackageName | undefined)[];
}

/** Turns one statement into what it says of each product; one that a scan has to confirm (`fixed`) says nothing yet. */
export function readStatement(record: JsonObject, position: string, context: OpenVexContext, items: ReportItems): ImportItem[] {
  const named = objectAt(record, 'vulnerability');
  const name = textAt(named, 'name') ?? textAt(named, '@id') ?? requireText(record, 'vulnerability');
  const names = [name, ...textsAt(named, 'aliases')];
  const status = requireText(record, 'status').toLowerCase();
  if (!STATUSES.includes(status)) throw new BrokenRecord(`status should be one of ${STATUSES.join(', ')}`);
  if (status === 'fixed') return [];
  const justification = textAt(record, 'justification');
  return productsOf(record, context).flatMap(({ artifacts, packages }) =>
    packages.flatMap((affected): ImportItem[] => {
      if (status === 'not_affected') {
        const reasons = ['not affected', justification?.replaceAll('_', ' '), textAt(record, 'impact_statement'), by(context.author)];
        return [assessmentItem({ names, ...(artifacts && { artifacts }), package: affected, reasons, position })];
      }
      const place = codePlace({ project: artifacts?.[0] ?? affected?.name }, context.options);
      return vulnerabilityItems(
        {
          source: 'openvex',
          advisory: {
            id: name,
            aliases: textsAt(named, 'aliases'),
            description: textAt(named, 'description'),
            guidance: textAt(record, 'action_statement'),
          },
          package: affected ?? { name: place.resource_uid },
          place,
          evidence: {
            analysis_state: status,
            analysis_detail: textAt(record, 'status_notes') ?? textAt(record, 'impact_statement'),
            author: context.author,
          },
          position,
        },
        items,
      );
    }),
  );
}

const by = (author: string | undefined): string | undefined => (author === undefined ? undefined : `says ${author}`);

function productsOf(record: JsonObject, { options }: OpenVexContext): Product[] {
  const products = listAt(record, 'products');
  if (products.length === 0) throw new BrokenRecord('products is missing, or empty');
  return products.map((product) => {
    const object = asObject(product);
    const id = idOf(product);
    if (id === undefined) throw new BrokenRecord('a product has no @id');
    const parts = listAt(object, 'subcomponents').flatMap((part) => idOf(part) ?? []);
    const url = readPackageUrl(id);
    const own = options.artifact === undefined ? undefined : [options.artifact];
    // a product without parts that is a package is the package itself, wherever it is
    if (parts.length === 0 && url !== undefined && !ARTIFACTS.has(url.ecosystem)) return { artifacts: own, packages: [url] };
    return { artifacts: own ?? namesOf(id), packages: parts.length === 0 ? [undefined] : parts.map(packageOf) };
  });
}

const idOf = (thing: unknown): string | undefined =>
  typeof thing === 'string' ? thing : (textAt(objectAt(asObject(thing), 'identifiers'), 'purl') ?? textAt(asObject(thing), '@id'));

const packageOf = (id: string): PackageName => readPackageUrl(id) ?? { name: id };

/** The names that findings may have for an artifact: as it is written, and as the image that its package URL names. */
function namesOf(id: string): string[] {
  const url = readPackageUrl(id);
  if (url === undefined || !ARTIFACTS.has(url.ecosystem)) return [id];
  const repository = url.qualifiers['repository_url'] ?? url.name;
  const tag = url.qualifiers['tag'];
  const digest = /^sha256:/.test(url.version ?? '') ? [`${repository}@${url.version}`] : [];
  const tagged = tag === undefined ? [] : [`${repository}:${tag}`];
  const versioned = digest.length === 0 && url.version !== undefined ? [`${repository}:${url.version}`] : [];
  return [...tagged, ...versioned, ...digest, repository, id];
}
