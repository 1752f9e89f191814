import { as, createTestApp } from './support-app';
test('smoke', async () => {
  const { app } = await createTestApp();
  for (const [method, url, headers] of [
    ['GET', '/api/v1/inventory/assets?severity=high,low&severity=info', as('viewer')],
    ['GET', '/api/v1/inventory/asset/' + encodeURIComponent('arn:aws:s3:::b/x y%2F'), as('viewer')],
    ['GET', '/api/v1/nope', as('viewer')],
    ['GET', '/api/v1/nope', {}],
    ['PUT', '/api/v1/inventory/assets', as('viewer')],
    ['GET', '/api/v1/rules/custom/5', as('viewer')],
    ['GET', '/api/v1/inventory/asset/%zz', as('viewer')],
    ['GET', '/gateway/openapi.json', {}],
    ['GET', '/metrics', {}],
  ] as const) {
    const answer = await app.inject({ method, url, headers });
    console.log(method, url, answer.statusCode, answer.body.slice(0, 600), answer.headers);
  }
  await app.close();
});
