// A stand for AWS that repeats what another one has answered: node aws-replay.mjs UPSTREAM HOME. What it was not asked before it asks UPSTREAM in the region HOME, and
// remembers; what it knows it answers after `latency` milliseconds, for whatever region it is asked in, as if that were another HOME. It prints its address.
// `GET /-/counts?latency=50` tells what it was asked since the last such call, and sets the latency.
import { createServer, request } from 'node:http';
import { setTimeout } from 'node:timers';
import { URL } from 'node:url';

const [upstream, home] = process.argv.slice(2);
/** Identifiers end with the number of their region, so that copies of a thing are things of their own. */
const ID = /(-[0-9a-f]{15})[0-9a-f]{2}\b/g;
const known = new Map();
const regions = [home];
let latency = 0;
let counts;
const reset = () => void (counts = { calls: 0, unknown: 0, atOnce: 0, partsAtOnce: 0 });
reset();
const running = [];

/** What a call asks, without where. */
const keyOf = ({ method, url, service, target, body }, region) =>
  [method, service, target, `${url} ${body}`.replaceAll(region, home).replace(ID, '$1')].join(' ');

function numberOf(region) {
  if (!regions.includes(region)) regions.push(region);
  return regions.indexOf(region).toString(16).padStart(2, '0');
}
const toldIn = (body, region) => body.replaceAll(home, region).replace(ID, `$1${numberOf(region)}`);

const read = async (stream) => {
  let text = '';
  for await (const part of stream.setEncoding('utf8')) text += part;
  return text;
};

/** Asks upstream. What it does not know, and its faults, are told as denied, so that nobody tries again. */
async function ask({ method, url, body }, { host: _, connection: _c, ...headers }) {
  const response = await new Promise((resolve, reject) => {
    request(`${upstream}${url}`, { method, headers }, resolve).on('error', reject).end(body);
  });
  const text = await read(response);
  const { statusCode: status } = response;
  const isTold = status < 400 || (status < 500 && (/<Code>|"(?:__type|code)"/.test(text) || response.headers['x-amzn-errortype']));
  if (!isTold) return { status: 403, type: 'application/json', body: '{"__type":"AccessDeniedException"}' };
  return { status, type: response.headers['content-type'] ?? 'text/plain', error: response.headers['x-amzn-errortype'], body: text };
}

async function answerOf(call, region, headers) {
  const key = keyOf(call, region);
  const told = known.get(key);
  if (told) return told;
  counts.unknown += 1;
  const asked = await ask(call, headers);
  known.set(key, asked);
  return asked;
}

const answer = (incoming, outgoing) => {
  void (async () => {
    const { method, url, headers } = incoming;
    if (url.startsWith('/-/counts')) {
      latency = Number(new URL(url, 'http://x').searchParams.get('latency') ?? latency);
      outgoing.end(JSON.stringify(counts));
      return reset();
    }
    const [, region = home, service = ''] = /Credential=[^/]+\/\d+\/([^/]+)\/([^/]+)\//.exec(headers.authorization ?? '') ?? [];
    const part = `${service} ${region}`;
    running.push(part);
    counts.calls += 1;
    counts.atOnce = Math.max(counts.atOnce, running.length);
    counts.partsAtOnce = Math.max(counts.partsAtOnce, new Set(running).size);
    const call = { method, url, service, target: headers['x-amz-target'] ?? '', body: await read(incoming) };
    const { status, type, error, body } = await answerOf(call, region, headers);
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
    running.splice(running.indexOf(part), 1);
    outgoing.writeHead(status, { 'content-type': type, ...(error && { 'x-amzn-errortype': error }) }).end(toldIn(body, region));
  })();
};

// connections of a client are bounded by host, and hosts of services are many: so it has several addresses of loopback, too
const HOSTS = 32;
const listen = (port, n) =>
  new Promise((resolve) => {
    const server = createServer(answer);
    server.keepAliveTimeout = 60_000;
    server.listen(port, `127.0.0.${n}`, () => resolve(server.address().port));
  });
const port = await listen(0, 1);
for (let n = 2; n <= HOSTS; n++) await listen(port, n);
console.log(`http://127.0.0.1:${port}`);
