import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sign } from '../../collectors/aws/sign.js';

/** A call as the stub understands it. */
export interface StubCall {
  readonly service: string;
  readonly region: string;
  /** `ListKeys`, `Action=AssumeRole…` or the path. */
  readonly what: string;
  readonly path: string;
  readonly body: string;
  /** The id of the key that it is signed with. */
  readonly key: string;
}
export type Reply = readonly [status: number, body: string] | 'silence' | undefined;

/** A key by which calls may be signed. */
export interface StubKey {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string;
}

export const json = (body: object): Reply => [200, JSON.stringify(body)];
export const refusal = (code: string, status = 400): Reply => [status, JSON.stringify({ __type: `com.amazonaws#${code}` })];
export const xmlRefusal = (code: string, status = 403): Reply => [
  status,
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>no</Message></Error></ErrorResponse>`,
];

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += String(part);
  return body;
}

/** Whether a call has the signature that its key makes of it. */
async function isSigned(request: IncomingMessage, body: string, key: StubKey, service: string, region: string): Promise<boolean> {
  const { authorization = '', host = '' } = request.headers;
  const signed = /SignedHeaders=([^,]+)/.exec(authorization)![1]!.split(';');
  const made = /^(host|x-amz-date|x-amz-security-token)$/;
  const headers = Object.fromEntries(signed.filter((name) => !made.test(name)).map((name) => [name, String(request.headers[name])]));
  const [, ...date] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(request.headers['x-amz-date']))!.map(Number);
  const at = new Date(Date.UTC(date[0]!, date[1]! - 1, date[2], date[3], date[4], date[5]));
  const call = { service, region, method: request.method as 'GET', url: new URL(request.url!, `http://${host}`), headers, body };
  return (await sign(call, key, at))['authorization'] === authorization;
}

/** A server that answers as AWS does where `answer` says nothing else: it checks the signature, and says that the key is one of the account. */
export async function awsStub(account: string, keys: readonly StubKey[], answer: (call: StubCall) => Reply) {
  const calls: StubCall[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const [, id = '', region = '', service = ''] =
        /Credential=([^/]+)\/\d+\/([^/]+)\/([^/]+)\//.exec(request.headers.authorization ?? '') ?? [];
      const key = keys.find(({ access_key_id }) => access_key_id === id);
      const target = request.headers['x-amz-target'];
      const what = typeof target === 'string' ? target.split('.').at(-1)! : body || request.url!;
      const call = { service, region, what, path: request.url!, body, key: id };
      calls.push(call);
      const isGood = key !== undefined && (await isSigned(request, body, key, service, region));
      const reply = isGood ? (answer(call) ?? usual(call, account)) : xmlRefusal('SignatureDoesNotMatch');
      if (reply === 'silence' || reply === undefined) return;
      response.writeHead(reply[0], { 'content-type': target === undefined ? 'text/xml' : 'application/x-amz-json-1.1' }).end(reply[1]);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    asked: (what: string): StubCall[] => calls.filter((call) => call.what.startsWith(what)),
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function usual({ what }: StubCall, account: string): Reply {
  if (what.startsWith('Action=GetCallerIdentity'))
    return [200, `<GetCallerIdentityResult><Account>${account}</Account></GetCallerIdentityResult>`];
  const isForm = what.startsWith('Action=');
  return isForm
    ? [403, '<Response><Errors><Error><Code>UnauthorizedOperation</Code></Error></Errors></Response>']
    : refusal('AccessDeniedException');
}
