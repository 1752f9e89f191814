import type { ComponentType } from 'preact';
import type { OpenApi } from './document.js';
import { LANGUAGES } from './snippets.js';
import { Block, Words } from './words.js';

interface GuideProps {
  readonly document: OpenApi;
}

const FIRST_CALL = { method: 'GET', path: '/api/v1/findings?severity=critical&page_size=5', headers: {}, body: null };

function Start({ document: { info, tags } }: GuideProps) {
  return (
    <article>
      <h1>{info.title} REST reference</h1>
      <Words text={info.description} />
      <p>
        Version {info.version}. The document that this page is made of is <a href="/gateway/openapi.json">openapi.json</a> (OpenAPI 3.1).
        The same data is in one graph: <a href="/gateway/explorer">the graph explorer</a>.
      </p>
      <h2>A first call</h2>
      {LANGUAGES.map(({ name, write }) => (
        <Block key={name} title={name} text={write(FIRST_CALL, location.origin, 'api_key')} />
      ))}
      <h2>Subjects</h2>
      <dl class="facts">
        {tags.map(({ name, description }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    </article>
  );
}

/** Parts of the document by name, each with what it says of itself. */
const Described = ({ parts }: { parts: readonly (readonly [string, { readonly description?: string }])[] }) => (
  <dl class="facts">
    {parts.map(([name, { description }]) => (
      <div key={name}>
        <dt>
          <code>{name}</code>
        </dt>
        <dd>{description}</dd>
      </div>
    ))}
  </dl>
);

function Authentication({ document: { components } }: GuideProps) {
  const signIn = { email: 'you@example.com', password: '…' };
  const lines = [
    `curl -c jar -H 'Content-Type: application/json' -d '${JSON.stringify(signIn)}' ${location.origin}/api/auth/login`,
    `curl -b jar ${location.origin}/api/v1/users/me`,
  ];
  return (
    <article>
      <h1>Authentication</h1>
      <Described parts={Object.entries(components.securitySchemes)} />
      <h2>A program: an API key</h2>
      <p>
        <a href="#create_api_key">POST /api/v1/api-keys</a> makes one with the permissions and the end that you name, and shows it once; the
        console does the same under Settings, API keys. Send it as <code>Authorization: Bearer</code>.
      </p>
      <Block title="A call with a key" text={LANGUAGES[0]!.write(FIRST_CALL, location.origin, 'api_key')} />
      <h2>A person: a session</h2>
      <p>
        <a href="#login">POST /api/auth/login</a> sets the cookie <code>access_token</code>. Whoever has a second factor gets a{' '}
        <code>challenge_id</code> instead, which <a href="#verify_second_step">POST /api/auth/mfa/verify</a> takes with the code. A session
        ends an hour after its last call.
      </p>
      <Block title="A session in a shell" text={lines.join('\n')} />
      <h2>Permissions</h2>
      <p>
        Each endpoint says behind “Requires” which permissions it takes. Without one the answer is 403, before anything is looked up; what
        belongs to another tenant is 404, as what does not exist.
      </p>
    </article>
  );
}

function Errors({ document: { components } }: GuideProps) {
  const body = { page: 'check', error_code: 'NOT_FOUND', message: 'Finding not found', detail: null, degraded_engines: [] };
  return (
    <article>
      <h1>Errors</h1>
      <p>
        Every error has the same body, <a href="#schema-Error">Error</a>. Programs read <code>error_code</code>; <code>message</code> is for
        people.
      </p>
      <Block title="An error" text={JSON.stringify(body, null, 2)} />
      <Described parts={Object.entries(components.responses).filter(([name]) => name !== 'Error')} />
      <h2>Headers of every answer</h2>
      <Described parts={Object.entries(components.headers)} />
      <h2>Trying again</h2>
      <p>
        429 and 503 may pass: wait as long as <code>Retry-After</code> says. 412 says that somebody else has changed what you read: read it
        again. Every other status from 400 to 499 will be the same the next time.
      </p>
    </article>
  );
}

/** Pages of words, by their address. The first is what an empty address shows. */
export const GUIDES: readonly { readonly name: string; readonly title: string; readonly View: ComponentType<GuideProps> }[] = [
  { name: '', title: 'Start', View: Start },
  { name: 'authentication', title: 'Authentication', View: Authentication },
  { name: 'errors', title: 'Errors', View: Errors },
];
