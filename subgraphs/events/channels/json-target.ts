import type { z } from 'zod';
import type { Outbound } from '../../../kit/outbound/outbound.js';
import { callTarget, shownText, type TargetAnswer } from './call-target.js';
import { ChannelError, refusal } from './channel-error.js';

type Method = 'GET' | 'POST' | 'PATCH';

/** An interface of JSON over HTTP. */
export interface JsonInterface {
  /** As messages name it: `Jira`. */
  readonly name: string;
  /** Address that paths are appended to, with a slash at its end. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What an answer that is no success says, in words. @param body what its JSON holds, whatever that is */
  messageOf(body: unknown): string;
  /** Whether a refusal is for now only; those that HTTP itself says so of are known. */
  mayRetry?(status: number, message: string): boolean;
}

/** Calls one interface that a tenant has entered. */
export class JsonTarget {
  constructor(
    private readonly outbound: Outbound,
    private readonly known: JsonInterface,
  ) {}

  /** @throws ChannelError when it may not be called, cannot be reached or says too much */
  call(method: Method, path: string, body?: object): Promise<TargetAnswer> {
    const { base, headers } = this.known;
    return callTarget(this.outbound, `${base}${path}`, {
      method,
      headers: { accept: 'application/json', ...headers, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
  }

  /** What a call answers that must succeed. @throws ChannelError */
  async ask<T>(schema: z.ZodType<T>, method: Method, path: string, body?: object): Promise<T> {
    return this.read(schema, await this.call(method, path, body));
  }

  /** What an answer holds; null for 404. @throws ChannelError */
  async find<T>(schema: z.ZodType<T>, path: string): Promise<T | null> {
    const answer = await this.call('GET', path);
    return answer.status === 404 ? null : this.read(schema, answer);
  }

  /** @throws ChannelError with what the other side said */
  read<T>(schema: z.ZodType<T>, answer: TargetAnswer): T {
    const { name, messageOf, mayRetry } = this.known;
    const body = jsonOf(answer.text);
    if (answer.status < 200 || answer.status > 299) {
      const said = shownText(messageOf(body));
      const refused = refusal(answer.status, said);
      throw mayRetry?.(answer.status, said) ? new ChannelError(refused.message, true) : refused;
    }
    const parsed = schema.safeParse(body);
    if (!parsed.success) throw new ChannelError(`the other side does not answer like ${name}`, false);
    return parsed.data;
  }
}

/** What a text holds; undefined when it is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
