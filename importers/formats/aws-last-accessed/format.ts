import { lastAccessSchema } from '../../../schema/observations.js';
import { importRecords } from '../../normalize/record-items.js';
import { checkHead } from '../../normalize/report-head.js';
import { outlineJson, type JsonOutline } from '../../readers/json/outline.js';
import { BrokenRecord, objectsAt, requireText, textAt, textsAt, type JsonObject } from '../../readers/json/fields.js';
import { readJson } from '../../readers/json/records.js';
import { readHead } from '../../readers/source.js';
import { parseTime } from '../../readers/time.js';
import { NotOfFormat, type ImportItem, type ImportOptions, type ReportFormat, type ReportSource } from '../../types.js';

const MARKS = ['JobStatus', 'JobCreationDate', 'ServicesLastAccessed'];
const EXPECTED = 'a report of last access ({"JobStatus": "COMPLETED", "ServicesLastAccessed": [...]})';
const isAt = (outline: JsonOutline, at: string): boolean => MARKS.every((mark) => outline.has(at + mark));
const detect = (outline: JsonOutline): boolean => isAt(outline, '') || isAt(outline, '[].');
const HEAD = {
  expected: EXPECTED,
  roots: ['array', 'object'] as const,
  detect,
  markers: MARKS.flatMap((mark) => [mark, `[].${mark}`]),
  elements: ['[]!'],
};

/**
 * What AWS answers of when an identity last used which service (`aws iam get-service-last-accessed-details`), one after another or in an array. The answer
 * does not name the identity: `Arn` beside its members does, or the import's `artifact`, or the one who used the services.
 */
export const format: ReportFormat = {
  name: 'aws_last_accessed',
  label: 'AWS IAM service last accessed details',
  engines: ['ciem'],
  detection: 'A JSON object with JobStatus, JobCreationDate and `ServicesLastAccessed`, several of them in an array or as lines.',
  produce: `aws iam get-service-last-accessed-details --job-id JOB-ID | jq -c '. + {Arn: "arn:aws:iam::111122223333:role/app"}' > last-accessed.jsonl`,
  detect: (head) => detect(outlineJson(head)),
  read,
};

async function* read(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  let isKnown = await checkHead(source, HEAD);
  const isLines = isAt(outlineJson(await readHead(source)), '');
  const reports = readJson(source, isLines ? ['$'] : ['$[*]']);
  const convert = (report: JsonObject, { position }: { position: string }) => [itemOf(report, position, options)];
  for await (const item of importRecords(reports, convert, () => (isKnown = true))) {
    isKnown ||= item.kind === 'truncated';
    yield item;
  }
  if (!isKnown) throw new NotOfFormat(`expected ${EXPECTED}, found none`);
}

function itemOf(report: JsonObject, position: string, options: ImportOptions): ImportItem {
  const status = requireText(report, 'JobStatus');
  if (status !== 'COMPLETED') throw new BrokenRecord(`the report is not complete: ${status.slice(0, 50)}`);
  const services = objectsAt(report, 'ServicesLastAccessed');
  const lastAccess = lastAccessSchema.safeParse({
    resource_uid: identityOf(report, services, options),
    provider: 'aws',
    reported_at: timeOf(report, 'JobCompletionDate') ?? timeOf(report, 'JobCreationDate'),
    services: services.map(serviceOf),
    position,
  });
  if (lastAccess.success) return { kind: 'last_access', last_access: lastAccess.data };
  throw new BrokenRecord(lastAccess.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '));
}

const timeOf = (object: JsonObject, key: string): Date | undefined => parseTime(object[key]);

const IDENTITY = /^arn:[\w-]+:iam::\d{12}:(?:user|role)\/.+$/;

/** Of whom a report tells. @throws BrokenRecord where nobody says it, and for a report of a group or a policy, which tells of several */
function identityOf(report: JsonObject, services: readonly JsonObject[], { artifact }: ImportOptions): string {
  const actors = new Set(services.flatMap((service) => textsAt(service, 'LastAuthenticatedEntity')));
  const isOfSeveral = actors.size > 1 || services.some((service) => Number(service['TotalAuthenticatedEntities'] ?? 0) > 1);
  if (isOfSeveral) throw new BrokenRecord('the report tells of several identities: make one of a user or a role');
  const named = textAt(report, 'Arn') ?? (artifact !== undefined && IDENTITY.test(artifact) ? artifact : [...actors][0]);
  if (named === undefined) throw new BrokenRecord('nothing says of whom the report is: add Arn to it, or name it as the artifact');
  if (!IDENTITY.test(named)) throw new BrokenRecord('Arn is none of a user or a role');
  return named;
}

function serviceOf(service: JsonObject) {
  const name = requireText(service, 'ServiceNamespace').toLowerCase();
  return {
    service: name,
    last_used_at: timeOf(service, 'LastAuthenticated') ?? null,
    rights: objectsAt(service, 'TrackedActionsLastAccessed').flatMap((action) => {
      const last_used_at = timeOf(action, 'LastAccessedTime');
      return last_used_at === undefined ? [] : [{ right: `${name}:${requireText(action, 'ActionName')}`, last_used_at }];
    }),
  };
}
