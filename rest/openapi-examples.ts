import { existsSync, readFileSync } from 'node:fs';
import type { JsonSchema } from './openapi-schemas.js';

/** A request and its answer, as the demo gave them. */
export interface Example {
  /** Parameters of path and query by name. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** The body that was sent. */
  readonly request?: unknown;
  /** The body that came back; absent where there is none. */
  readonly response?: unknown;
}

/** The example of each operation, by its id. */
export type Examples = Readonly<Record<string, Example>>;

/** The generated file, schema/openapi-examples.json, where it lies beside the program. */
const GENERATED = new URL('../schema/openapi-examples.json', import.meta.url);

/** The examples as the generator has taken them from the demo; none where there is no such file. */
export const readExamples = (): Examples => (existsSync(GENERATED) ? (JSON.parse(readFileSync(GENERATED, 'utf8')) as Examples) : {});

type Content = Record<string, JsonSchema> | undefined;

/** Puts an example beside the first schema of a content. */
function illustrate(content: Content, example: unknown): void {
  const first = Object.values(content ?? {})[0];
  if (first && example !== undefined) first.example = example;
}

/** Adds its example to each operation of `paths` that has one: to the body it takes, and to what it answers when all is well. */
export function addExamples(paths: Record<string, Record<string, JsonSchema>>, examples: Examples): void {
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const example = examples[operation.operationId as string];
    if (!example) continue;
    illustrate((operation.requestBody as { content?: Content } | undefined)?.content, example.request);
    const responses = Object.entries(operation.responses as Record<string, { content?: Content }>);
    illustrate(responses.find(([status]) => status.startsWith('2'))?.[1].content, example.response);
    for (const parameter of operation.parameters as JsonSchema[]) {
      const value = example.parameters?.[parameter.name as string];
      if (value !== undefined && parameter.name !== 'page_size') parameter.example = value;
    }
  }
}
