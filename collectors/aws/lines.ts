/** What a call asks; a text in braces (`{BucketName}`) stands for a member of the thing that is asked about, or for the `{region}` or `{account}`. */
export type Input = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A call: what it asks, how its pages follow each other, and what is asked about each thing that it answers. */
export interface CallLine {
  /** `DescribeInstances`, as AWS calls it. */
  readonly call: string;
  /** What it takes, where that is not the call's own name: `s3:ListAllMyBuckets`. */
  readonly permission?: string;
  readonly input?: Input;
  /** What it asks beside, of which the record says nothing: sizes of pages, filters. */
  readonly quiet?: Readonly<Record<string, unknown>>;
  /** Where the answer has the token of the next page, and the member that takes it where that is called otherwise. */
  readonly page?: string | readonly [answer: string, input: string];
  /** Codes of errors, beside the usual ones, that say that there is none. */
  readonly none?: readonly string[];
  /** Paths of the answer that are left out, as they hold secrets. */
  readonly without?: readonly string[];
  /** Whether it is told behind what is told of its things, as it shows a part of each only: of two answers about a thing the first counts. */
  readonly late?: true;
  /** The things of the answer about which `then` asks: objects, or texts that are called `as`. */
  readonly each?: string;
  readonly as?: string;
  /** Members that a thing must have for it to be asked about; in braces as in what a call asks. */
  readonly only?: Readonly<Record<string, string>>;
  readonly then?: readonly CallLine[];
}

/** A client of the SDK as far as it is used here. */
export interface SdkClient {
  send(command: unknown, options: { abortSignal: AbortSignal }): Promise<object>;
  destroy(): void;
}

/** Calls of one client. */
export interface CallGroup {
  /** As people name it when they narrow an account to services; groups may share it. */
  readonly service: string;
  /** As the command line names it. */
  readonly command: string;
  /** What permissions begin with. */
  readonly prefix: string;
  /** Whether it is asked in one place for all regions. */
  readonly global?: true;
  /** Whether it is in the commercial regions alone: neither in those of China, nor in those of the government of the United States. */
  readonly commercial?: true;
  /** Clients are large and few of them are needed at a start: they are loaded when they are first used. */
  readonly load: () => Promise<unknown>;
  /** The name of the client in its package. */
  readonly client: string;
  readonly calls: readonly CallLine[];
}

/** The permission that a call takes. */
export const permissionOf = ({ prefix }: Pick<CallGroup, 'prefix'>, { call, permission }: CallLine): string =>
  permission ?? `${prefix}:${call}`;

/** A call's lines, and those that follow it. */
export const allLines = (lines: readonly CallLine[]): CallLine[] => lines.flatMap((line) => [line, ...allLines(line.then ?? [])]);
