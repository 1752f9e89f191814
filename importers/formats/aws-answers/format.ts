import { answerLists, answerMembers, listTypes, thingsOfAnswer, thingsOfEntry, wholeAnswers } from '../../cloud/answers.js';
import { awsAssets, calledAssets } from '../../cloud/aws.js';
import { CallAnswers, callsByAnswer } from '../../cloud/call-answers.js';
import { valuesAt, type Item } from '../../cloud/item.js';
import { once } from '../../cloud/once.js';
import { readRecords } from '../../cloud/records.js';
import { readTopLevel, type TopLevel } from '../../readers/json/top-level.js';
import { readHead } from '../../readers/source.js';
import type { ImportItem, ImportOptions, ReportFormat, ReportSource } from '../../types.js';

const FORMAT = 'aws_answers';

/**
 * An answer of AWS's interfaces as its command line prints it (`aws ec2 describe-instances`, `aws iam get-account-authorization-details`,
 * `aws s3api get-bucket-policy`): each entry of the lists that `importers/cloud/tables/aws.yaml` knows, and what is told of one thing. What no line there
 * knows is a record without an asset.
 */
export const format: ReportFormat = {
  name: FORMAT,
  label: "Answers of AWS's interfaces (aws describe-…, list-…, get-…)",
  engines: ['di', 'check', 'iam', 'network-security', 'encryption', 'dbsec', 'datasec', 'container-security', 'ai-security'],
  inventory: true,
  detection:
    'A JSON object whose members are lists that AWS names so, such as `Reservations`, `SecurityGroups`, `UserDetailList`, of objects whose first member is an AWS name, or that describes one thing of AWS.',
  produce: 'aws ec2 describe-instances > report.json',
  detect: (head) => {
    const top = readTopLevel(head);
    return holdsLists(top) || holdsMember(top) || isWhole(top) || isCall(top);
  },
  read: (source, options) => once(readAnswer(source, options)),
};

const holdsLists = (top: TopLevel): boolean =>
  [...top].some(
    ([name, value]) => answerLists('aws').has(name) && /^\[\s*\{\s*"/.test(value) && /^[A-Z]/.test(name) && /^\[\s*\{\s*"[A-Z]/.test(value),
  ) || [...top].some(([name, value]) => answerLists('aws').has(name) && /^\[\s*\{\s*"(?:arn|\w+Arn)"\s*:\s*"arn:aws/.test(value));
const holdsMember = (top: TopLevel): boolean =>
  [...top].some(
    ([name, value]) =>
      answerMembers('aws').has(name) &&
      value.startsWith('{') &&
      /"\w*(?:Arn|ARN|arn)"\s*:\s*"arn:aws|^\{\s*"(?:Items|Quantity|MaxItems|Marker)"/.test(value),
  );
const isWhole = (top: TopLevel): boolean => wholeAnswers('aws').some((names) => names.every((name) => top.has(name)));
const isCall = (top: TopLevel): boolean =>
  callsByAnswer().some(
    ({ line }) => line.has.every((name) => top.has(name)) && [...top.keys()].every((name) => line.has.includes(name) || BESIDE.has(name)),
  );

/** What answers have beside what they tell. */
const BESIDE = new Set([
  'ResponseMetadata',
  'RevisionId',
  'ETag',
  'MFADelete',
  'PolicyName',
  'NextToken',
  'KeyId',
  'RotationPeriodInDays',
  'NextRotationDate',
]);

async function* readAnswer(source: ReportSource, options: ImportOptions): AsyncGenerator<ImportItem> {
  const top = readTopLevel(await readHead(source));
  if (![...top.keys()].some((name) => answerLists('aws').has(name) || answerMembers('aws').has(name)))
    return yield* readRecords(source, ['$'], (answer, at) => oneThing(answer, at, options));
  const lists = answerLists('aws');
  const paths = [...[...lists.keys()].map((list) => `${list}[*]`), ...[...answerMembers('aws').keys()].filter((name) => !lists.has(name))];
  yield* readRecords(
    source,
    paths,
    function* (entry, at) {
      for (const answered of thingsOfEntry('aws', ENTRY.exec(at)?.[1] ?? at, entry, at))
        yield* awsAssets(answered, undefined, FORMAT, options);
    },
    (path) => [{ kind: 'listed', types: listTypes('aws', path.replace('[*]', '')) }],
  );
}

/** How an entry of a list is named in the positions of a report. */
const ENTRY = /([A-Za-z]+)\[\d+\]$/;

function* oneThing(answer: Item, at: string, options: ImportOptions): Generator<ImportItem> {
  let found = false;
  for (const answered of thingsOfAnswer('aws', answer, at)) {
    found = true;
    yield* awsAssets(answered, undefined, FORMAT, options);
  }
  if (found) return;
  const answers = new CallAnswers('aws');
  for (const { line } of callsByAnswer().filter(({ line: { has } }) => has.every((name) => valuesAt(answer, name).length > 0))) {
    const [service = '', call = ''] = line.call[0]!.split('/');
    if (options.artifact === undefined || isOf(options.artifact, service))
      answers.add({ service, call, subjects: options.artifact === undefined ? [] : [options.artifact], exact: true }, answer, at);
  }
  for (const called of answers.rest()) yield* calledAssets(called, answers, FORMAT, options);
}

/** Whether a name can be that of a thing of a service: an ARN says of which it is. */
const isOf = (name: string, service: string): boolean => !name.startsWith('arn:') || name.split(':')[2] === service;
