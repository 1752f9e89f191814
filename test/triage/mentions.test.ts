import type { EngineContext } from '../../kit/engine/context.js';
import { mentionedIn } from '../../subgraphs/findings/assignment/people.js';
import { engines } from '../../subgraphs/index.js';
import { authOf } from '../gateway/support-engines.js';

const factsOf = (engine: string) => engines.find(({ name }) => name === engine)!.findings!;

/** Mentions of a text, where the tenant has these members. */
async function mentions(text: string, engine = 'check') {
  const members = (['analyst', 'viewer'] as const).map((role) => ({ user_id: role, email: `${role}@acme.example`, role }));
  let asked: readonly string[] = [];
  const call = ({ variables }: { variables: { members: string[] } }) => {
    asked = variables.members;
    return Promise.resolve({ data: { result: members.filter(({ email }) => variables.members.includes(email)) } });
  };
  const context = { auth: authOf('analyst'), services: { caller: { call } } } as unknown as EngineContext;
  return { told: (await mentionedIn(context, factsOf(engine), text)).map(({ email }) => email), asked };
}

it.each([
  ['one', 'please look, @Analyst@acme.example.', ['analyst@acme.example']],
  [
    'several, each once',
    '@viewer@acme.example, @analyst@acme.example and (@viewer@acme.example)',
    ['viewer@acme.example', 'analyst@acme.example'],
  ],
  ['no plain address', 'write to analyst@acme.example', []],
  ['no part of a word', 'x@analyst@acme.example', []],
])('a comment mentions %s', async (_what, text, wanted) => {
  expect((await mentions(text)).asked).toEqual(wanted);
});

it('those are told who may read the finding, of the tenant alone', async () => {
  const text = '@analyst@acme.example @viewer@acme.example @stranger@else.example';
  expect((await mentions(text)).told).toEqual(['analyst@acme.example', 'viewer@acme.example']);
  expect((await mentions(text, 'vulnerability')).told).toEqual(['analyst@acme.example']);
});

it('a text of many mentions tells twenty people at most', async () => {
  const text = Array.from({ length: 500 }, (_, n) => `@p${n}@acme.example`).join(' ');
  expect((await mentions(text)).asked).toHaveLength(20);
});
