import { createVerify, X509Certificate } from 'node:crypto';
import { KEY_PURPOSES, openKeyRing, signingKeys } from '../../kit/keys/key-ring.js';
import { getRequestKeys } from '../../sign-in/saml/request-keys.js';
import { certificateOf } from '../../sign-in/saml/certificate.js';
import { Browser, samlTenant } from '../support/saml-tenant.js';
import { openWorld, type World } from '../support/world.js';
import { openTestDatabase, testClock, testMasterKey } from './world.js';

/** The part of the package samlp that reads a request as a provider does; it ships no types. */
interface Samlp {
  parseRequest(request: object, options: object, callback: (error: Error | null, parsed?: { issuer: string; id: string }) => void): void;
}

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

async function metadataOf(path: string): Promise<{ xml: string; certificates: string[] }> {
  const xml = await (await fetch(`${world.url}${path}`)).text();
  const found = xml.matchAll(/<md:KeyDescriptor use="signing">\s*<ds:KeyInfo[^>]*><ds:X509Data><ds:X509Certificate>([^<]+)</g);
  return { xml, certificates: [...found].map(([, certificate]) => certificate!) };
}
const begin = async (tenantId: string) =>
  (await new Browser(world.url).get(`/auth/saml/login?tenant_id=${tenantId}`)).headers.get('location')!;

/** What a provider of the package samlp says to a request. */
function askProvider(location: string, certificate: string): Promise<{ issuer: string; id: string }> {
  const { parseRequest } = require('samlp') as Samlp;
  const query = Object.fromEntries(new URL(location).searchParams);
  return new Promise((resolve, reject) =>
    parseRequest({ method: 'GET', query, originalUrl: location }, { signingCert: certificate }, (error, parsed) =>
      error || !parsed ? reject(error ?? new Error('no request')) : resolve(parsed),
    ),
  );
}

describe('an AuthnRequest', () => {
  it('is signed RSA-SHA256 under the key of the metadata, over the very octets of its address', async () => {
    const tenant = await samlTenant(world);
    const { xml, certificates } = await metadataOf(`/api/auth/saml/${tenant.id}/metadata/`);
    expect(xml).toContain('AuthnRequestsSigned="true"');
    expect(certificates).toHaveLength(1);
    // the same key for every tenant, and at the shared address
    expect((await metadataOf('/auth/saml/metadata')).certificates).toEqual(certificates);

    const location = await begin(tenant.id);
    const [, signed, signature] = /[?&](SAMLRequest=[^&]+&SigAlg=[^&]+)&Signature=([^&]+)$/.exec(location)!;
    expect(decodeURIComponent(signed!)).toContain('SigAlg=http://www.w3.org/2001/04/xmldsig-more#rsa-sha256');
    const { publicKey } = new X509Certificate(Buffer.from(certificates[0]!, 'base64'));
    const isGenuine = (text: string) =>
      createVerify('sha256')
        .update(text)
        .verify(publicKey, Buffer.from(decodeURIComponent(signature!), 'base64'));
    expect(isGenuine(signed!)).toBe(true);
    expect(isGenuine(signed!.replace('SAMLRequest=', 'SAMLRequest=A'))).toBe(false);
  });

  it('is accepted by a provider that asks for signatures, and refused under another certificate or once changed', async () => {
    const tenant = await samlTenant(world);
    const [certificate] = (await metadataOf(`/api/auth/saml/${tenant.id}/metadata/`)).certificates;
    const location = await begin(tenant.id);
    expect(await askProvider(location, certificate!)).toMatchObject({ issuer: `${world.url}/api/auth/saml/${tenant.id}/metadata/` });
    const other = tenant.keys.certificate.replace(/-----[^-]+-----|\s/g, '');
    await expect(askProvider(location, other)).rejects.toThrow();
    const another = new URL(await begin(tenant.id));
    another.searchParams.set('Signature', new URL(location).searchParams.get('Signature')!);
    await expect(askProvider(another.href, certificate!)).rejects.toThrow();
  });
});

describe('the key of AuthnRequests', () => {
  it('has a certificate that it has signed itself, of the same bytes whenever it is made', async () => {
    const { database, close } = await openTestDatabase();
    const services = { database, masterKey: testMasterKey(), clock: testClock() };
    const [{ key, created_at }] = (await (await openKeyRing(services, 'saml-request')).privateKeys()) as [
      Awaited<ReturnType<Awaited<ReturnType<typeof openKeyRing>>['privateKeys']>>[number],
    ];
    const certificate = new X509Certificate(Buffer.from(certificateOf(key, created_at), 'base64'));
    expect(certificateOf(key, created_at)).toBe(certificateOf(key, created_at));
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(key)).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2_048);
    expect(new Date(certificate.validFrom)).toEqual(new Date(Math.floor(created_at.getTime() / 1_000) * 1_000));
    expect(new Date(certificate.validTo).getUTCFullYear()).toBe(created_at.getUTCFullYear() + 10);
    const [row] = await database.system(signingKeys).find({ purpose: 'saml-request' });
    expect(Buffer.from(row!.private_key!, 'base64').includes(Buffer.from('2a864886f70d010101', 'hex'))).toBe(false);
    await close();
  });

  it('is announced in the metadata before it signs, and the one before leaves when it does', async () => {
    const { database, close } = await openTestDatabase();
    const clock = testClock();
    const services = { database, masterKey: testMasterKey(), clock };
    const keys = await getRequestKeys(services);
    const [first] = await keys.certificates();
    const signer = await keys.signingKey();
    await (await openKeyRing(services, 'saml-request')).rotate();
    clock.advance(60_000);
    const both = await keys.certificates();
    expect(both).toHaveLength(2);
    expect(both[0]).toBe(first);
    expect((await keys.signingKey()).equals(signer)).toBe(true);
    clock.advance(KEY_PURPOSES['saml-request'].announced * 1_000);
    expect(new X509Certificate(Buffer.from(both[1]!, 'base64')).checkPrivateKey(await keys.signingKey())).toBe(true);
    expect(await keys.certificates()).toEqual([both[1]]);
    await close();
  });
});
