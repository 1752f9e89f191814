// A real OpenID provider (npm oidc-provider) whose people need no forms: `login_hint` says who signs in, and consent is given.
// Run with one argument, the JSON of {client_id, client_secret, redirect_uris}; it prints its issuer.
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const client = JSON.parse(process.argv[2]);
const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: [{ ...client, grant_types: ['authorization_code'], response_types: ['code'] }],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name'], groups: ['groups'] },
  scopes: ['openid', 'email', 'profile', 'groups'],
  pkce: { required: () => true },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_context, sub) => ({
    accountId: sub,
    claims: () => ({
      sub,
      email: sub,
      email_verified: !sub.startsWith('unverified'),
      name: 'Ada Lovelace',
      given_name: 'Ada',
      family_name: 'Lovelace',
      groups: sub.startsWith('admin') ? ['everyone', 'admins'] : ['everyone'],
    }),
  }),
});

/** Answers what a person would: who they are, and yes. */
async function interact(request, response) {
  const { prompt, params, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    if (params.login_hint?.startsWith('denied'))
      return provider.interactionFinished(request, response, { error: 'access_denied', error_description: '<b>no</b>' });
    return provider.interactionFinished(request, response, { login: { accountId: params.login_hint, amr: ['pwd', 'otp'] } });
  }
  const session = await provider.Session.get(provider.createContext(request, response));
  const grant = grantId
    ? await provider.Grant.find(grantId)
    : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
}

const answer = provider.callback();
server.on('request', (request, response) => {
  if (!request.url.startsWith('/interaction/')) return answer(request, response);
  interact(request, response).catch((error) => {
    response.statusCode = 500;
    response.end(String(error));
  });
});
console.log(issuer);
