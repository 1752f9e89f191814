import { auditLog } from '../../kit/audit/audit.js';
import { firings } from '../../kit/work/schedule.js';
import { reportRowId, reports, type ReportRow } from '../../subgraphs/reporting/reports/records.js';
import { feed } from '../contract/feeds.js';
import { openMailCatcher, type MailCatcher } from '../support/mail-catcher.js';
import { openOwnWorld, type OwnWorld } from '../support/own-world.js';
import type { Client, TestTenant } from '../support/world.js';

let mails: MailCatcher;
let world: OwnWorld;
let tenant: TestTenant;
let admin: Client;
let analyst: Client;
let viewer: Client;

beforeAll(async () => {
  mails = await openMailCatcher();
  world = await openOwnWorld({ env: { SMTP_URL: mails.url, PUBLIC_URL: 'https://palisade.test' } });
  tenant = await world.tenant();
  [admin, analyst, viewer] = [await tenant.as('tenant_admin'), await tenant.as('analyst'), await tenant.as('viewer')];
  const sample = {
    rule: 'r',
    title: 'T',
    name: 'b',
    severity: 'low',
    provider: 'aws',
    region: 'eu-west-1',
    type: 'aws_s3_bucket',
    account: '1',
  } as const;
  await feed(admin, 'check', [{ ...sample, resource: 'arn:aws:s3:::b' }], { source: 'scanner' });
});
afterAll(async () => {
  await world?.close();
  await mails?.close();
});

const DAILY = { cron: '0 8 * * *', time_zone: 'Europe/Berlin' };
const put = (client: Client, id: string, body: object) =>
  client.call<Record<string, unknown>>(`/api/v1/reports/${id}`, { method: 'PUT', body: { name: 'A report', format: 'csv', ...body } });
const rows = () => world.database.tenant(tenant.tenant._id).collection(reports);
const rowOf = async (id: string): Promise<ReportRow> => (await rows().findOne({ _id: reportRowId(tenant.tenant._id, id) }))!;

/** Lets a report's firing have come, and waits until it has gone by. */
async function fire(id: string, holds: (row: ReportRow) => boolean): Promise<ReportRow> {
  const past = new Date(Date.now() - 60_000);
  await rows().update({ _id: reportRowId(tenant.tenant._id, id) }, { $set: { next_run_at: past, due_at: past } });
  for (;;) {
    const row = await rowOf(id);
    if (holds(row)) return row;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
const isOver = ({ last_run }: ReportRow): boolean => last_run !== null && last_run.state !== 'RUNNING';

describe('a report', () => {
  it.each([
    ['a cron that cannot be read', { findings: {}, schedule: { cron: 'often', time_zone: 'UTC' } }, 'schedule.cron'],
    ['a time that never comes', { findings: {}, schedule: { cron: '0 0 30 2 *', time_zone: 'UTC' } }, 'schedule.cron'],
    ['firings too close', { findings: {}, schedule: { cron: '*/5 * * * *', time_zone: 'UTC' } }, 'schedule.cron'],
    ['a zone that there is not', { findings: {}, schedule: { ...DAILY, time_zone: 'Mars/Phobos' } }, 'schedule.time_zone'],
    ['a recipient who is no member', { findings: {}, recipients: ['nobody@elsewhere.example'] }, 'recipients.0'],
    ['no subject', {}, ''],
    ['two subjects', { findings: {}, frameworks: ['cis_aws_1_4_0'] }, ''],
    ['a framework that there is not', { frameworks: ['absent'] }, 'framework.framework_id'],
    ['no name', { name: ' ', findings: {} }, 'name'],
  ])('is refused with %s', async (_what, body, path) => {
    const { status, body: answer } = await put(admin, 'wrong', body);
    expect([status, answer]).toEqual([422, expect.objectContaining({ detail: [expect.objectContaining({ path })] })]);
  });

  it('is listed for who may read reports, and set by who may write them and read all of it', async () => {
    const { status, body } = await put(analyst, 'listed', {
      findings: { severity: ['low'] },
      schedule: DAILY,
      recipients: [viewer.user!.email],
    });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ owner: analyst.user!.email, schedule: DAILY, recipients: [viewer.user!.email] }),
    ]);
    const listed = await viewer.call<{ items: { report_id: string }[] }>('/api/v1/reports');
    expect(listed.body.items.map(({ report_id }) => report_id)).toContain('listed');
    expect((await put(viewer, 'mine', { findings: {} })).status).toBe(403);
    expect((await put(analyst, 'mine', { audit_log: {} })).status).toBe(403);
    const stranger = await (await world.tenant()).as('tenant_admin');
    expect((await stranger.call<{ total: number }>('/api/v1/reports')).body.total).toBe(0);
  });

  it('is made once by its timetable, and mailed as a link to those who may read all of it', async () => {
    const recipients = [analyst.user!.email, viewer.user!.email];
    await put(analyst, 'weekly', { findings: {}, schedule: DAILY, recipients });
    const { last_run, next_run_at } = await fire('weekly', isOver);
    expect(last_run).toMatchObject({ state: 'COMPLETED', files: [{ state: 'COMPLETED', reason: null }] });
    expect(next_run_at!.getTime()).toBeGreaterThan(Date.now());
    const { export_id } = last_run!.files[0]!;
    expect((await analyst.call(`/api/v1/exports/${export_id}/download`)).text).toContain('arn:aws:s3:::b');
    while (!mails.mails.some(({ body }) => body.includes(export_id))) await new Promise((resolve) => setTimeout(resolve, 20));
    // the file holds engines that a viewer may not read
    expect(mails.mails.filter(({ body }) => body.includes(export_id)).map(({ to }) => to)).toEqual([analyst.user!.email]);
    expect(mails.mails.find(({ body }) => body.includes(export_id))!.body).toContain(
      `https://palisade.test/api/v1/exports/${export_id}/download`,
    );
    const claimed = await world.database
      .tenant(tenant.tenant._id)
      .collection(firings)
      .find({ schedule_id: reportRowId(tenant.tenant._id, 'weekly') });
    expect(claimed).toHaveLength(1);
  });

  it('of frameworks makes a file for each that it names', async () => {
    await put(admin, 'frameworks', { format: 'oscal', frameworks: ['cis_aws_1_4_0', 'cis_aws_1_4_0'], schedule: DAILY });
    const { last_run } = await fire('frameworks', isOver);
    expect(last_run!.files).toHaveLength(1);
  });

  it('pauses with the reason once its owner may do less, and goes on when somebody sets it again', async () => {
    await put(analyst, 'lessened', { findings: {}, schedule: DAILY });
    const { owner } = await rowOf('lessened');
    await rows().update(
      { _id: reportRowId(tenant.tenant._id, 'lessened') },
      { $set: { owner: { ...owner, user_id: viewer.user!._id, email: viewer.user!.email } } },
    );
    const paused = await fire('lessened', ({ paused_reason }) => paused_reason !== null);
    expect(paused).toMatchObject({ next_run_at: null, due_at: null, paused_reason: expect.stringContaining('reports:write') as string });
    expect(paused.last_run).toMatchObject({ state: 'FAILED', files: [] });
    const noted = await world.database.tenant(tenant.tenant._id).collection(auditLog).find({ action: 'report.pause' });
    expect(noted.map(({ target }) => target)).toEqual(['report:lessened']);
    const { body } = await put(admin, 'lessened', { findings: {}, schedule: DAILY });
    expect(body).toMatchObject({ paused_reason: null, owner: admin.user!.email });
  });

  it('that is not enabled waits for nothing', async () => {
    const { body } = await put(admin, 'off', { findings: {}, schedule: DAILY, enabled: false });
    expect(body).toMatchObject({ enabled: false, next_run_at: null, schedule: DAILY });
  });
});
