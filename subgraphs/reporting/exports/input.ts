import { invalid } from '../../../kit/base/errors.js';
import { setMembers } from '../../../kit/base/set-members.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { formatOf } from '../formats/index.js';
import { SUBJECTS, type ExportFormat, type SubjectKind } from '../formats/format.js';
import { subjects } from '../subjects/index.js';
import type { Filter, Prepared } from '../subjects/subject.js';

/** What a body asks for: a format, and one of the subjects with its filter. */
export type ExportInput = { readonly format: string } & { readonly [Kind in SubjectKind]?: object | null };

/** What was asked for, read and allowed. */
export interface Asked {
  readonly subject: SubjectKind;
  readonly format: ExportFormat;
  readonly prepared: Prepared;
}

/** The one subject that a body names, with its filter. @throws PalisadeError VALIDATION_ERROR */
export function subjectOf(input: ExportInput): { subject: SubjectKind; filter: Filter } {
  const named = SUBJECTS.filter((kind) => input[kind] != null);
  const [subject] = named;
  if (subject === undefined || named.length > 1) throw invalid([{ path: '', message: `name one of ${SUBJECTS.join(', ')}` }]);
  return { subject, filter: setMembers(input[subject]) };
}

/**
 * Reads what an export is asked for as whoever asks may.
 * @throws PalisadeError VALIDATION_ERROR; FORBIDDEN for what the caller may not read
 */
export async function prepareExport(context: EngineContext, subject: SubjectKind, filter: Filter, formatName: string): Promise<Asked> {
  const format = formatOf(formatName);
  if (!format.subjects.includes(subject))
    throw invalid([{ path: 'format', message: `${format.name} is a format of ${format.subjects.join(' and ')}, not of ${subject}` }]);
  const prepared = await subjects[subject].prepare(context, filter, format);
  if (format.most !== undefined && (prepared.total ?? 0) > format.most)
    throw invalid([{ path: subject, message: `selects ${prepared.total}; a file of ${format.name} holds ${format.most} at most` }]);
  return { subject, format, prepared };
}
