import { parseArgs, type ParseArgsConfig } from 'node:util';
import { didYouMean } from './did-you-mean.js';

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>;

/** An option as it was given, in the order of the command line: `format` with `sarif`. */
export interface GivenOption {
  name: string;
  value: string | undefined;
}

/** The arguments do not make sense; the message says why, and the command's usage follows it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const EXIT_USAGE = 2;

/** An option that takes a value. */
export const text = { type: 'string' } as const;

/**
 * A command of the shell: reads its arguments, answers `--help` with its usage, and wrong arguments with what is wrong, the usage, and the
 * exit code 2.
 * @param usage begins with the command's name: `palisade import FILE...`
 * @param work gives the exit code; it throws UsageError for arguments that do not go together
 */
export function command<const O extends Options>(
  usage: string,
  options: O,
  work: (values: Parsed<O>['values'], positionals: string[], given: GivenOption[]) => Promise<number>,
): (args: string[]) => Promise<number> {
  const name = usage.split(' ', 2).join(' ');
  return async (args) => {
    if (args.includes('--help')) {
      process.stdout.write(`${usage}\n`);
      return 0;
    }
    try {
      const { values, positionals, tokens } = parseArgs({ args, options, allowPositionals: true, tokens: true });
      const given = tokens.flatMap((token) => (token.kind === 'option' ? [{ name: token.name, value: token.value }] : []));
      return await work(values as Parsed<O>['values'], positionals, given);
    } catch (error) {
      if (!(error instanceof UsageError) && !isOfParser(error)) throw error;
      process.stderr.write(`${name}: ${wrongOption(error, options) ?? error.message}\n${usage}\n`);
      return EXIT_USAGE;
    }
  };
}

/** What is wrong with an option that the command does not have; the parser's own words speak of positional arguments. */
function wrongOption(error: Error, options: Options): string | undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return undefined;
  const option = /'(-[^']*)'/.exec(error.message)?.[1];
  const known = [...Object.keys(options), 'help'].map((name) => `--${name}`);
  return option && `unknown option ${option}${didYouMean(option, known)}`;
}

const isOfParser = (error: unknown): error is Error =>
  error instanceof TypeError && ((error as NodeJS.ErrnoException).code ?? '').startsWith('ERR_PARSE_ARGS');
