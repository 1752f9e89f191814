import { randomUUID } from 'node:crypto';
import { auditLog } from '../../kit/audit/audit.js';
import { fixedClock } from '../../kit/base/clock.js';
import { createMailer } from '../../kit/work/mail.js';
import { checkDomains } from '../../subgraphs/identity/domains/checks.js';
import { createRecordLookup } from '../../subgraphs/identity/domains/record-lookup.js';
import { startDnsServer, type TestDnsServer } from '../support/dns-server.js';
import { claim, claimRow, holderRow, verify } from '../support/domains.js';
import { openMailbox, type Mailbox } from '../support/mailbox.js';
import { openOwnWorld, type OwnWorld } from '../support/own-world.js';
import { type Client, type TestTenant } from '../support/world.js';

// a server of its own, with other processes beside it
jest.setTimeout(600_000);

const DAY = 86_400_000;

let dns: TestDnsServer;
let mailbox: Mailbox;
let own: OwnWorld;
let tenant: TestTenant;
let admin: Client;
let domain: string;
let value: string;
beforeAll(async () => {
  [dns, mailbox] = [await startDnsServer(), await openMailbox()];
  own = await openOwnWorld({ env: { DNS_SERVERS: dns.address, SMTP_URL: mailbox.url } });
});
beforeEach(async () => {
  tenant = await own.tenant();
  admin = await tenant.as('org_admin');
  domain = `d${randomUUID().slice(0, 8)}.example`;
  value = await proved(admin);
});
afterAll(async () => {
  await own.close();
  await mailbox.close();
  await dns.stop();
});

const nameOf = (of = domain) => `_palisade.${of}`;
async function proved(client: Client): Promise<string> {
  const { record } = (await claim(client, domain)).body;
  dns.set(nameOf(), { txt: [record!.value] });
  expect((await verify(client, domain)).body.state).toBe('verified');
  return record!.value;
}
/** One round of the checks, `days` from now. @returns the domains of this test that were looked up */
async function checkAfter(days: number): Promise<number> {
  const clock = fixedClock(new Date(Date.now() + days * DAY).toISOString());
  const { parts } = own.auth;
  const mailer = createMailer({ SMTP_URL: mailbox.url, MAIL_FROM: 'palisade@test.example' });
  dns.asked.length = 0;
  await checkDomains({ ...parts, clock, mailer }, createRecordLookup([dns.address]));
  mailer.close();
  return dns.asked.filter((question) => question === `TXT ${nameOf()}`).length;
}
const actions = async () =>
  (
    await own.database
      .tenant(tenant.tenant._id)
      .collection(auditLog)
      .find({ target: `domain:${domain}` }, { sort: { seq: 1 } })
  ).map(({ action }) => action);
const subjects = () => mailbox.mails.filter(({ to }) => to.includes(admin.user!.email)).map(({ subject }) => subject);

it('looks a proof up weekly, and one that is missing daily', async () => {
  expect([await checkAfter(6.9), await checkAfter(7.1)]).toEqual([0, 1]);
  expect(await holderRow(own, domain)).toMatchObject({ failing_since: null });
  dns.set(nameOf(), null);
  expect([await checkAfter(14), await checkAfter(14.3)]).toEqual([0, 1]);
  expect((await holderRow(own, domain))!.failing_since).not.toBeNull();
  expect([await checkAfter(15.2), await checkAfter(15.4)]).toEqual([0, 1]);
  dns.set(nameOf(), { txt: [value] });
  expect([await checkAfter(16.5), await checkAfter(17.6)]).toEqual([1, 0]);
  expect(await holderRow(own, domain)).toMatchObject({ failing_since: null, absent_since: null, notified: null });
});

it('mails every org_admin when the record goes missing and when two weeks are over, once each', async () => {
  dns.set(nameOf(), 'servfail');
  for (const days of [7.1, 8.2, 9.3, 21, 21.2, 22.3, 23.4]) await checkAfter(days);
  await mailbox.mailTo(admin.user!.email);
  for (const until = Date.now() + 300_000; subjects().length < 2 && Date.now() < until;)
    await new Promise((resolve) => setTimeout(resolve, 50));
  expect(subjects().sort()).toEqual([`The record that verifies ${domain} is missing`, `${domain} is no longer verified`]);
  expect(await actions()).toEqual(['domain.claim', 'domain.verify', 'domain.lapse']);
});

it('passes a domain on by itself once the other record has been gone for 72 hours and the new one is there', async () => {
  const next = await own.tenant();
  const client = await next.as('org_admin');
  const { record } = (await claim(client, domain)).body;
  dns.set(nameOf(), { txt: [record!.value] });
  expect((await verify(client, domain)).body.state).toBe('held');
  await checkAfter(2.9);
  expect((await holderRow(own, domain))!.organization_id).toBe(tenant.tenant.organization_id);
  dns.set(nameOf(), 'silence');
  await checkAfter(3.1);
  expect((await holderRow(own, domain))!.organization_id).toBe(tenant.tenant.organization_id);
  expect((await claimRow(own, next, domain))!.proved_at).not.toBeNull();
  dns.set(nameOf(), { txt: [record!.value] });
  await checkAfter(3.2);
  expect(await holderRow(own, domain)).toMatchObject({ organization_id: next.tenant.organization_id, source: 'dns', failing_since: null });
  expect(await actions()).toEqual(['domain.claim', 'domain.verify', 'domain.lose']);
  expect(await claimRow(own, next, domain)).toMatchObject({ proved_at: null, problem: null });
});
