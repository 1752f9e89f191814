import type { Document } from 'bson';

const NAMES: Record<number, string> = {
  1: 'InternalError',
  2: 'BadValue',
  6: 'HostUnreachable',
  9: 'FailedToParse',
  13: 'Unauthorized',
  14: 'TypeMismatch',
  16: 'InvalidLength',
  20: 'IllegalOperation',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  50: 'MaxTimeMSExpired',
  52: 'DollarPrefixedFieldName',
  54: 'NotSingleValueField',
  56: 'EmptyFieldName',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  112: 'WriteConflict',
  115: 'CommandNotSupported',
  168: 'InvalidPipelineOperator',
  225: 'TransactionTooOld',
  251: 'NoSuchTransaction',
  256: 'TransactionCommitted',
  263: 'OperationNotSupportedInTransaction',
  279: 'ClientDisconnect',
  11000: 'DuplicateKey',
  14031: 'OutOfDiskSpace',
};

/** An error answered to the client under MongoDB's own code and code name. */
export class CommandError extends Error {
  /** @param details further fields of the reply, such as keyPattern and keyValue of a duplicate key. */
  constructor(
    readonly code: number,
    message: string,
    readonly details: Document = {},
    readonly labels: readonly string[] = [],
  ) {
    super(message);
  }

  /** MongoDB's name of the code. */
  get codeName(): string {
    return NAMES[this.code] ?? `Location${this.code}`;
  }
}

/** What this store does not do: the answer is an error, never a wrong result. */
export function notSupported(what: string): CommandError {
  return new CommandError(115, `${what} is not supported by the embedded store; use a MongoDB server for it`);
}

/** The error of two transactions that write the same document. Drivers retry the transaction on its label. */
export function writeConflict(): CommandError {
  return new CommandError(
    112,
    'WriteConflict error: this operation conflicted with another operation. Please retry your operation or multi-document transaction.',
    {},
    ['TransientTransactionError'],
  );
}

/** The error of a write while the disk has too little room. Reads go on, and writes when there is room again. */
export function diskFull(): CommandError {
  return new CommandError(14031, 'available disk space is below what the store needs to write');
}

/** The error of who was reading when the store opened its database again. Drivers read again on this code, and begin a transaction again on its label. */
export function interrupted(): CommandError {
  return new CommandError(6, 'the store has opened its database again', {}, ['TransientTransactionError']);
}

/** The error document of a command reply. */
export function errorReply(error: unknown): Document {
  if (!(error instanceof CommandError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: 0, errmsg: message, code: 1, codeName: 'InternalError' };
  }
  const labels = error.labels.length > 0 ? { errorLabels: [...error.labels] } : {};
  return { ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName, ...error.details, ...labels };
}
