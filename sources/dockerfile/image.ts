import { createRequire } from 'node:module';
import type * as Ast from 'dockerfile-ast';
import { commandText, filledIn } from '../shell-text.js';

// few checks have a Dockerfile, and the parser brings a language server's types
const require = createRequire(import.meta.url);
const parse = (text: string): Ast.Dockerfile => (require('dockerfile-ast') as typeof Ast).DockerfileParser.parse(text);

/** A stage while its instructions are read. */
interface Stage {
  number: number;
  name: string;
  /** The stage that it goes on from. */
  parent: Stage | undefined;
  /** The image that it begins with, itself or by its parent. */
  base: string;
  variables: Map<string, string | undefined>;
  user: string | undefined;
  healthcheck: boolean;
  ports: string[];
}

type Instruction = Ast.Instruction & { getFlags?(): Ast.Flag[]; getProperties?(): Ast.Property[] };
type Entry = Record<string, unknown>;

/**
 * What a Dockerfile builds: instructions of all stages by their kind, each with the number of its stage, and of the last one the base image, the
 * user, the ports and whether it has a health check.
 * @returns undefined where it has no stage
 */
export function imageOf(text: string): Record<string, unknown> | undefined {
  const reader = new Reader();
  for (const instruction of parse(text).getInstructions()) reader.take(instruction);
  return reader.image();
}

class Reader {
  private readonly stages: Stage[] = [];
  /** Of `ARG` before the first `FROM`. */
  private readonly given = new Map<string, string | undefined>();
  private readonly entries = { from: [], run: [], add: [], copy: [], env: [], arg: [] } as Record<string, Entry[]>;

  take(instruction: Instruction): void {
    const keyword = instruction.getKeyword();
    if (keyword === 'FROM') return this.from(instruction as Ast.From);
    const stage = this.stages.at(-1);
    if (stage === undefined) {
      if (keyword === 'ARG') for (const property of instruction.getProperties?.() ?? []) this.given.set(...this.pair(property, this.given));
      return;
    }
    const place = { stage: stage.number, line: instruction.getRange().start.line + 1 };
    const words = instruction.getArguments().map((argument) => filledIn(argument.getValue(), (name) => stage.variables.get(name)));
    const flags = Object.fromEntries((instruction.getFlags?.() ?? []).map((flag) => [flag.getName(), flag.getValue() ?? '']));
    switch (keyword) {
      case 'RUN':
        this.entries.run!.push({ ...place, command: commandOf(instruction), ...security(flags) });
        break;
      case 'ADD':
      case 'COPY':
        if (flags.from === undefined) this.entries[keyword.toLowerCase()]!.push({ ...place, sources: pathsOf(words), ...checksum(flags) });
        break;
      case 'ENV':
      case 'ARG':
        for (const property of instruction.getProperties?.() ?? []) this.variable(keyword, property, stage, place);
        break;
      case 'USER':
        stage.user = words[0];
        break;
      case 'EXPOSE':
        stage.ports.push(...words);
        break;
      case 'HEALTHCHECK':
        stage.healthcheck = words[0]?.toUpperCase() !== 'NONE';
    }
  }

  image(): Record<string, unknown> | undefined {
    const last = this.stages.at(-1);
    if (last === undefined) return undefined;
    const { base, user, healthcheck, ports } = last;
    return { base, ...(user === undefined ? {} : { user }), healthcheck, ports, stages: this.stages.length, ...this.entries };
  }

  private from(instruction: Ast.From): void {
    const image = filledIn(instruction.getImage() ?? '', (name) => this.given.get(name));
    const parent = this.stages.find(({ name }) => name !== '' && name === image.toLowerCase());
    const number = this.stages.length;
    if (parent === undefined)
      this.entries.from!.push({
        stage: number,
        line: instruction.getRange().start.line + 1,
        image,
        ...(image === 'scratch' ? { scratch: true } : {}),
      });
    this.stages.push({
      number,
      name: instruction.getBuildStage()?.toLowerCase() ?? '',
      parent,
      base: parent?.base ?? image,
      variables: new Map(parent?.variables),
      user: parent?.user,
      healthcheck: parent?.healthcheck ?? false,
      ports: [...(parent?.ports ?? [])],
    });
  }

  private variable(kind: 'ENV' | 'ARG', property: Ast.Property, stage: Stage, place: Entry): void {
    const [name, own] = this.pair(property, stage.variables);
    const value = own ?? (kind === 'ARG' ? this.given.get(name) : undefined);
    stage.variables.set(name, value);
    if (value !== undefined) this.entries[kind.toLowerCase()]!.push({ ...place, name, value });
  }

  private pair(property: Ast.Property, known: ReadonlyMap<string, string | undefined>): [string, string | undefined] {
    const value = property.getValue();
    return [property.getName(), value === null ? undefined : filledIn(value, (name) => known.get(name))];
  }
}

/** The command of RUN: continued lines joined, comments left out, and a list in JSON as the words of it. */
function commandOf(instruction: Instruction): string {
  const text = (instruction.getRawArgumentsContent() ?? '')
    .replaceAll(/^[ \t]*#.*\n?/gm, '')
    .replaceAll(/[\\`][ \t]*\r?\n/g, ' ')
    .replaceAll(/[ \t]+/g, ' ')
    .trim();
  const words = text.startsWith('[') ? wordsOf(text) : undefined;
  return commandText(words?.join(' ') ?? text);
}

function wordsOf(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    // then it is a command of the shell, whose `[` is a test
    return undefined;
  }
}

/** What is copied; the last word is where to. A list in JSON is a list of words as well. */
function pathsOf(words: readonly string[]): string[] {
  const plain = words.map((word) => word.replaceAll(/^\[?"|"?,?\]?$/g, ''));
  return plain.slice(0, -1);
}

const security = ({ security: mode, network }: Record<string, string>): Entry => ({
  ...(mode === undefined ? {} : { security: mode }),
  ...(network === undefined ? {} : { network }),
});

const checksum = ({ checksum: digest }: Record<string, string>): Entry => (digest === undefined ? {} : { checksum: digest });
