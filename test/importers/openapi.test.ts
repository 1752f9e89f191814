import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { needing } from '../support/shared.js';
import { fixture } from './fixtures.js';
import { readAll, SAMPLES } from './read-all.js';

const CHECKOV = SAMPLES && join(SAMPLES, 'openapi', 'checkov_openapi_dev.jsonl');

/** Which of our rules looks for what a policy of Checkov does. */
const RULES: Readonly<Record<string, readonly string[]>> = {
  ClearTextAPIKey: ['openapi-api-key-in-clear'],
  CleartextCredsOverUnencryptedChannel: ['openapi-basic-authentication'],
  GlobalSchemeDefineHTTP: ['openapi-plain-http'],
  GlobalSecurityFieldIsEmpty: ['openapi-no-global-security'],
  GlobalSecurityScopeUndefined: ['openapi-undefined-scope'],
  NoMaximumNumberItems: ['openapi-unbounded-list'],
  Oauth2OperationObjectPasswordFlow: ['openapi-oauth-password-flow'],
  Oauth2SecurityDefinitionImplicitFlow: ['openapi-oauth-implicit-flow'],
  Oauth2SecurityDefinitionPasswordFlow: ['openapi-oauth-password-flow'],
  Oauth2SecurityPasswordFlow: ['openapi-oauth-password-flow'],
  Oauth2SecurityRequirement: ['openapi-undefined-scope', 'openapi-operation-undefined-scope'],
  OperationObjectBasicAuth: ['openapi-basic-authentication'],
  OperationObjectConsumesUndefined: ['openapi-no-media-types-taken'],
  OperationObjectImplicitFlow: ['openapi-oauth-implicit-flow'],
  OperationObjectProducesUndefined: ['openapi-no-media-types-given'],
  OperationObjectSecurityScopeUndefined: ['openapi-operation-undefined-scope'],
  PathSchemeDefineHTTP: ['openapi-operation-plain-http'],
  SecurityDefinitionBasicAuth: ['openapi-basic-authentication'],
  SecurityDefinitions: ['openapi-no-security-schemes'],
  SecurityOperations: ['openapi-open-operation', 'openapi-open-read'],
  SecurityRequirement: ['openapi-undefined-security-scheme', 'openapi-operation-undefined-security-scheme'],
};

interface Labelled {
  source: string;
  expected: 'pass' | 'fail';
  control: string;
  document: unknown;
}

needing(CHECKOV).it('descriptions that others have labelled are judged as they say', async () => {
  const labelled = readFileSync(CHECKOV!, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Labelled);
  const wrong: string[] = [];
  for (const { source, expected, control, document } of labelled) {
    const { observations, records } = await readAll('openapi', document, { provider: 'aws' });
    const failed = observations.some(({ rule_id }) => RULES[control]?.includes(rule_id));
    if (records !== 1 || failed !== (expected === 'fail')) wrong.push(`${source} (${control}): ${failed ? 'fail' : 'pass'}`);
  }
  expect(wrong).toEqual([]);
});

it('an API and its operations are assets by their addresses, with what two descriptions are compared by', async () => {
  const { items } = await readAll('openapi', fixture('openapi', 'shop.yaml'), { provider: 'aws' });
  const assets = items.flatMap((item) => (item.kind === 'asset' ? [item.asset] : []));
  const base = 'https://api.shop.example.com/v1';
  expect(assets.map(({ resource_type, resource_uid }) => `${resource_type} ${resource_uid}`)).toEqual([
    `api_description ${base}`,
    `api_endpoint GET ${base}/items`,
    `api_endpoint GET ${base}/items/{id}`,
    `api_endpoint PUT ${base}/items/{id}`,
    `api_endpoint POST ${base}/login`,
  ]);
  expect(assets[0]).toMatchObject({ resource_name: 'Shop', tags: { 'data-classification': 'pii' } });
  expect(assets[3]!.configuration).toMatchObject({
    ...{ api: base, host: 'api.shop.example.com', method: 'PUT', path: '/v1/items/{id}', anonymous: false },
    authentication: ['bearer token', 'unknown'],
    parameters: { 'path id': 'string(uuid), required' },
    request: { 'application/json': { id: 'string(uuid)', tags: ['string'], parent: 'object' } },
  });
  expect(items.filter(({ kind }) => kind === 'estate')).toEqual([{ kind: 'estate', estate: `openapi:${base}` }]);
});

it('rules name the places where a description breaks them', async () => {
  const of = async (name: string) => {
    const { observations } = await readAll('openapi', fixture('openapi', name), { provider: 'aws' });
    return observations.map(({ rule_id, resource_uid, evidence }) => `${rule_id} ${resource_uid} ${String(evidence['pointer'])}`).sort();
  };
  const shop = 'https://api.shop.example.com/v1';
  expect(await of('shop.yaml')).toEqual([
    `openapi-basic-authentication ${shop} /components/securitySchemes/legacy`,
    `openapi-open-operation POST ${shop}/login /paths/~1login/post/security`,
    `openapi-open-read GET ${shop}/items/{id} /paths/~1items~1{id}/get/security`,
    `openapi-operation-undefined-scope PUT ${shop}/items/{id} /paths/~1items~1{id}/put/security/0/session`,
    `openapi-operation-undefined-security-scheme PUT ${shop}/items/{id} /paths/~1items~1{id}/put/security/1/unknown`,
    `openapi-plain-http ${shop} /servers`,
    `openapi-secret-in-query GET ${shop}/items /paths/~1items/get/parameters`,
    `openapi-unbounded-list ${shop} /paths/~1items/get/responses/200/content/application~1json/schema`,
  ]);
  const legacy = 'https://legacy.example.com/api';
  expect(await of('legacy.json')).toEqual([
    `openapi-api-key-in-clear ${legacy} /securityDefinitions/key`,
    `openapi-no-global-security ${legacy} /security`,
    `openapi-no-media-types-given GET ${legacy}/orders /paths/~1orders/get/produces`,
    `openapi-oauth-implicit-flow ${legacy} /securityDefinitions/people`,
    `openapi-oauth-plain-http ${legacy} /securityDefinitions/people`,
    `openapi-operation-undefined-scope GET ${legacy}/orders /paths/~1orders/get/security/0/people`,
    `openapi-plain-http ${legacy} /schemes/1`,
    `openapi-unbounded-list ${legacy} /paths/~1orders/get/responses/200/schema`,
  ]);
});

it('an API without an address has the name that the import or its description gives it', async () => {
  const document = { openapi: '3.0.0', info: { title: 'Inner', version: '1' }, servers: [{ url: '/v1' }], paths: { '/a': { get: {} } } };
  const uids = async (artifact?: string) =>
    (await readAll('openapi', document, { provider: 'aws', ...(artifact && { artifact }) })).items.flatMap((item) =>
      item.kind === 'asset' ? [item.asset.resource_uid] : [],
    );
  expect(await uids()).toEqual(['Inner', 'GET Inner/a']);
  expect(await uids('shop-api')).toEqual(['shop-api', 'GET shop-api/a']);
});
