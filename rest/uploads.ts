import type { FastifyRequest } from 'fastify';
import { isRequiredArgument } from 'graphql';
import { badRequest, invalid, PalisadeError } from '../kit/base/errors.js';
import type { ObjectStore } from '../kit/store/object-store.js';
import { readParameter, type ArgumentPlan, type Variables } from './arguments.js';
import { drain } from '../http/drain.js';
import { readMultipart } from './multipart.js';
import { openUpload, tooLarge, uploadEncoding, uploadError } from './upload-stream.js';

/** The field of a multipart form that holds the file (decision 33). */
export const FILE_FIELD = 'report';
/** What the parts around a file may add to it, in bytes. */
const FORM_OVERHEAD = 262_144;
const MULTIPART = /^multipart\/form-data\s*;/i;

export interface UploadTarget {
  readonly objects: ObjectStore;
  readonly tenantId: string;
  /** Largest size, compressed and decompressed. */
  readonly maxBytes: number;
}

/** A staged body: the id of its object, and the arguments that came as form fields. */
export interface StagedUpload {
  readonly id: string;
  readonly variables: Variables;
}

/**
 * What can be refused before a byte of the body is read.
 * @throws PalisadeError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE
 */
export function assertUploadable(request: FastifyRequest, maxBytes: number): void {
  uploadEncoding(request.headers['content-encoding']);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes + FORM_OVERHEAD) throw tooLarge(maxBytes);
}

function formArguments(plan: ArgumentPlan, fields: readonly (readonly [string, string])[], given: Variables): Variables {
  const values = new Map<string, string[]>();
  for (const [name, value] of fields) values.set(name, [...(values.get(name) ?? []), encodeURIComponent(value)]);
  const variables: Variables = {};
  for (const [name, raw] of values) {
    const argument = plan.query.get(name);
    if (!argument) throw invalid([{ path: name.slice(0, 64), message: 'is not a known field' }]);
    if (given[name] !== undefined) throw invalid([{ path: name, message: 'is given as a query parameter too' }]);
    try {
      variables[name] = readParameter(argument, raw);
    } catch (error) {
      if (error instanceof PalisadeError) throw invalid([{ path: name, message: error.message }]);
      throw error;
    }
  }
  return variables;
}

/** @throws PalisadeError BAD_REQUEST for an argument that neither the query nor the form has */
function assertComplete(plan: ArgumentPlan, variables: Variables): void {
  for (const argument of plan.query.values()) {
    if (isRequiredArgument(argument) && variables[argument.name] === undefined)
      throw badRequest(`The parameter ${argument.name} is required`);
  }
}

/**
 * Streams the body of a request to the object store: the raw body, or the file of a multipart form; gzip is undone on the way. Memory
 * stays flat, and whatever fails leaves no object behind.
 * @param given arguments of the request line, read before
 * @throws PalisadeError PAYLOAD_TOO_LARGE, BAD_REQUEST (damaged gzip or form), VALIDATION_ERROR (empty body, wrong fields); UploadAborted
 */
export async function stageUpload(
  request: FastifyRequest,
  plan: ArgumentPlan,
  given: Variables,
  target: UploadTarget,
): Promise<StagedUpload> {
  const { objects, tenantId, maxBytes } = target;
  const contentType = request.headers['content-type'] ?? '';
  const isForm = MULTIPART.test(contentType);
  const { stream, received } = openUpload(
    request.raw,
    uploadEncoding(request.headers['content-encoding']),
    isForm ? maxBytes + FORM_OVERHEAD : maxBytes,
  );
  const put = (body: typeof stream) => objects.put(tenantId, body, { maxBytes });
  const discard = ({ id }: { id: string }) => objects.remove(tenantId, id);
  try {
    const form = isForm ? await readMultipart(stream, contentType, FILE_FIELD, put, discard) : { fields: [], file: await put(stream) };
    if (form.file === null) throw invalid([{ path: FILE_FIELD, message: 'is required' }]);
    try {
      if (form.file.size === 0) throw invalid([{ path: isForm ? FILE_FIELD : '', message: 'is empty' }]);
      const variables = formArguments(plan, form.fields, given);
      assertComplete(plan, { ...given, ...variables });
      return { id: form.file.id, variables };
    } catch (error) {
      await discard(form.file);
      throw error;
    }
  } catch (error) {
    stream.destroy();
    drain(request.raw);
    if (received() === 0 && !(error instanceof PalisadeError))
      throw request.raw.complete ? invalid([{ path: '', message: 'is empty' }]) : error;
    throw uploadError(error);
  }
}
