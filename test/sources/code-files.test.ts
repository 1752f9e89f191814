import { join } from 'node:path';
import { commentsOf } from '../../sources/comments.js';
import { findSources } from '../../sources/find.js';
import { expandWholeCatalog } from '../catalog/whole-catalog.js';
import { RuleSet } from '../../catalog/evaluate.js';
import { Inventory } from '../../catalog/inventory.js';
import { subjectOf } from '../../catalog/subject.js';
import type { Found } from '../../sources/types.js';
import { folderOf, toldBy } from './folder.js';

const { rules } = expandWholeCatalog();
const set = new RuleSet(rules.filter(({ family }) => ['dockerfile', 'compose_service', 'github_workflow'].includes(family)));
const find = (...paths: string[]): Promise<Found> => findSources(paths, { readInput: () => Promise.resolve(Buffer.from('')) });

/** Ends of the rules that fail in a file, and of those that could not be decided. */
async function failures(name: string, text: string): Promise<{ fail: string[]; open: string[] }> {
  const { sources } = await find(folderOf({ [name]: text }));
  const [fail, open]: [string[], string[]] = [[], []];
  for (const source of sources)
    for (const asset of (await toldBy(source)).assets)
      for (const { rule, result } of set.evaluate(subjectOf(asset), new Inventory(new Set()))) {
        const end = rule.rule_id.split('.').at(-1)!;
        if (result === 'FAIL') fail.push(end);
        if (result === 'NOT_EVALUATED') open.push(end);
      }
  return { fail: fail.sort(), open: open.sort() };
}

describe('a Dockerfile', () => {
  it('is judged by its last stage, which goes on from the stage that it names', async () => {
    const kept = `ARG VERSION=12.5
FROM node:22.4 AS build
RUN npm ci
FROM debian:\${VERSION} AS base
USER 10001
HEALTHCHECK CMD ["/app", "health"]
FROM base
COPY --from=build /root/.npmrc /app/
`;
    expect(await failures('Dockerfile', kept)).toEqual({ fail: ['base_digest'], open: [] });
    expect((await failures('Dockerfile', `${kept}USER 0:0\n`)).fail).toContain('root_user');
    // what is given when it is built, nobody knows
    expect(await failures('Dockerfile', 'ARG IMAGE\nFROM $IMAGE\nUSER ${UID}\n')).toEqual({
      fail: [],
      open: expect.arrayContaining(['latest_tag', 'root_user']) as unknown,
    });
  });

  it('names a user by its base image, or needs none', async () => {
    for (const base of ['gcr.io/distroless/static:nonroot', 'nginxinc/nginx-unprivileged:1.27', 'scratch'])
      expect((await failures('Dockerfile', `FROM ${base}\n`)).fail).not.toContain('root_user');
    expect((await failures('Dockerfile', 'FROM scratch\n')).fail).not.toContain('latest_tag');
  });

  it.each([
    ['RUN curl -fsSL https://a.example/i.sh \\\n  # as their page says\n  | sudo -E bash -', 'piped_script'],
    ['RUN <<EOF\nset -e\nwget -qO- https://a.example/i.sh | sh\nEOF', 'piped_script'],
    ['RUN bash -c "$(curl -fsSL https://a.example/i.sh)"', 'piped_script'],
    ['RUN curl -fsSLk https://a.example/a.tgz -o a.tgz', 'tls_verification'],
    ['ENV NODE_TLS_REJECT_UNAUTHORIZED=0', 'tls_verification'],
    ['RUN ["chmod", "-R", "777", "/app"]', 'world_writable'],
    ['RUN chmod a+rwx /app', 'world_writable'],
    ['ENV API_TOKEN q7Zt2Lm9xW4vb3Np', 'secret_in_variable'],
    ['ARG NPM_TOKEN=q7Zt2Lm9xW4vb3Np', 'secret_in_variable'],
    ['RUN git clone https://bot:q7Zt2Lm9xW4vb3Np@git.example.com/a.git', 'secret_in_command'],
    ['COPY [".env", "/app/"]', 'credential_file'],
    ['COPY keys/id_ed25519 /root/.ssh/', 'credential_file'],
    ['ADD https://a.example/a.tgz /opt/', 'remote_add'],
    ['EXPOSE 80 22/tcp', 'ssh_port'],
    ['RUN --security=insecure make', 'insecure_build'],
    ["RUN echo 'root:toor' | chpasswd", 'root_password'],
    ['RUN apk add --allow-untrusted x.apk', 'unsigned_packages'],
  ])('%s is found', async (line, end) => {
    expect((await failures('Dockerfile', `FROM debian:12.5\n${line}\nUSER 10001\n`)).fail).toContain(end);
  });

  it.each([
    'RUN curl -fsSL https://a.example/a.tgz -o a.tgz && echo "${SUM}  a.tgz" | sha256sum -c - && bash install.sh',
    'RUN chmod 755 /app && chmod u+rwx /b',
    'ENV DB_PASSWORD_FILE=/run/secrets/db DB_PASSWORD=${DB_PASSWORD} PORT=8080',
    'ARG NPM_TOKEN',
    'RUN --mount=type=secret,id=npm NPM_TOKEN=$(cat /run/secrets/npm) npm ci',
    'COPY .env.example id_rsa.pub /app/',
    'ADD --checksum=sha256:24454f830cdb571e2c4ad15481119c43b3cafd48dd869a9b2945d1036d1dc68d https://a.example/a.tgz /opt/',
    'ADD app.tgz /opt/',
    'EXPOSE 2222 8022',
  ])('%s is no weakness', async (line) => {
    const usual = ['base_digest', 'healthcheck'];
    expect((await failures('Dockerfile', `FROM debian:12.5\n${line}\nUSER 10001\n`)).fail).toEqual(usual);
  });

  it('is found by its name in folders, by its beginning where it is named, and leaves alone what a comment says', async () => {
    const folder = folderOf({
      'a/Dockerfile.prod': 'FROM a:1\n',
      'b/web.dockerfile': 'FROM a:1\n',
      'c/build': '# x\nFROM a:1\nUSER 1\n',
      'd/notes.md': 'FROM here\n',
    });
    expect((await find(folder)).sources.map(({ name }) => name.slice(folder.length + 1))).toEqual([
      'a/Dockerfile.prod',
      'b/web.dockerfile',
    ]);
    expect((await find(join(folder, 'c/build'))).sources).toHaveLength(1);
    expect((await find(join(folder, 'd/notes.md'))).unreadable).toHaveLength(1);
    expect(commentsOf('Dockerfile', 'FROM a\n  # palisade:ignore x y\nRUN echo "# no"\n')).toEqual([
      { line: 2, text: '# palisade:ignore x y' },
    ]);
    expect((await find(folderOf({ Dockerfile: 'RUN true\n' }))).unreadable).toEqual([
      expect.objectContaining({ reason: expect.stringContaining('FROM') as unknown }),
    ]);
  });
});

describe('a Compose file', () => {
  const service = (lines: string): string => `services:\n  web:\n    image: nginx:1.27\n    ${lines}\n`;

  it.each([
    ['privileged: true', 'privileged'],
    ['volumes: ["/var/run/docker.sock:/s:ro"]', 'docker_socket'],
    ['volumes: [{ type: bind, source: /run/podman/podman.sock, target: /s }]', 'docker_socket'],
    ['volumes: ["/etc/:/host"]', 'host_path'],
    ['volumes: ["/:/host:ro"]', 'host_path_read'],
    ['cap_add: [CAP_SYS_ADMIN]', 'dangerous_capability'],
    ['cap_add: [net_admin]', 'network_capability'],
    ['security_opt: ["seccomp=unconfined"]', 'unconfined'],
    ['devices: ["/dev/sda:/dev/sda:r"]', 'host_device'],
    ['network_mode: host', 'host_network'],
    ['pid: host', 'host_processes'],
    ['user: "0"', 'root_user'],
    ['environment: ["DB_PASSWORD=${DB_PASSWORD:-q7Zt2Lm9xW4v}"]', 'credential_in_environment'],
    ['environment: { MYSQL_ALLOW_EMPTY_PASSWORD: "yes" }', 'no_authentication'],
    ['command: --api.insecure=true --providers.docker', 'no_authentication'],
    ['ports: ["2375:2375"]', 'published_control_port'],
    ['ports: ["5432"]', 'published_database'],
    ['ports: ["3300-3310:3300-3310/tcp"]', 'published_database'],
    ['ports: [{ target: 6379, published: 16379 }]', 'published_database'],
  ])('%s is found', async (lines, end) => {
    expect((await failures('compose.yaml', service(lines))).fail).toContain(end);
  });

  it('that is kept well has no finding of weight; what the environment decides is open', async () => {
    const kept = service(`user: "10001"
    read_only: true
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    volumes: ["data:/data", "./conf:/conf:ro", "/etc/localtime:/etc/localtime:ro", "/dev/snd:/dev/snd"]
    ports: ["8080:8080", "127.0.0.1:5432:5432", "[::1]:6379:6379"]
    environment: { DB_PASSWORD_FILE: /run/secrets/db, DB_PASSWORD: "\${DB_PASSWORD:?}", OTHER: }
    mem_limit: 1g
    healthcheck: { test: [CMD, /health] }`);
    expect(await failures('compose.yaml', kept)).toEqual({ fail: ['image_digest'], open: [] });
    expect((await failures('compose.yaml', 'services:\n  web:\n    image: ${IMAGE}\n')).open).toEqual(['image_digest', 'latest_tag']);
  });

  it('has services that extend others and stand in lines of their own', async () => {
    const text = `x-base: &base
  privileged: true
services:
  base:
    <<: *base
    image: a:1
    cap_add: [SYS_TIME]
  web:
    extends: { service: base }
    privileged: false
    cap_add: [NET_RAW]
  far:
    extends: { file: other.yaml, service: x }
`;
    const { sources } = await find(folderOf({ 'docker-compose.prod.yml': text }));
    const told = await toldBy(sources[0]!);
    expect(told.of('compose_service.base')).toMatchObject({ privileged: true });
    expect(told.of('compose_service.web')).toMatchObject({ privileged: false, cap_add: ['SYS_TIME', 'NET_RAW'], image: 'a:1' });
    expect(sources[0]!.placeOf(told.assets[1]!)).toMatchObject({ line: 8, endLine: 11 });
    expect(sources[0]!.skipped!()).toEqual([
      expect.objectContaining({ line: 12, reason: expect.stringContaining('other.yaml is not there') as unknown }),
    ]);
  });
});

describe('a workflow of GitHub Actions', () => {
  const workflow = (on: string, step: string, more = ''): string =>
    `on: ${on}\npermissions: { contents: read }\n${more}jobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - ${step}\n`;

  it.each([
    [
      'pull_request_target',
      'uses: actions/checkout@v4\n        with: { ref: "${{ github.event.pull_request.head.sha }}" }',
      'untrusted_checkout',
    ],
    ['issue_comment', 'run: gh pr checkout "$N"', 'untrusted_checkout'],
    ['issues', 'run: echo "${{ github.event.issue.title }}"', 'script_injection'],
    ['[issues]', "run: echo ${{ github.event['issue']['body'] }}", 'script_injection'],
    [
      '{ issue_comment: { types: [created] } }',
      'uses: actions/github-script@v7\n        with: { script: "f(`${{ github.event.comment.body }}`)" }',
      'script_injection',
    ],
    ['pull_request', 'run: check ${{ github.head_ref }}', 'script_injection_pull_request'],
    ['push', 'run: check "${{ github.event.commits[0].message }}"', 'script_injection_pull_request'],
    ['workflow_dispatch', 'run: release ${{ inputs.version }}', 'script_injection_inputs'],
    ['push', 'uses: someone/action@v1', 'unpinned_action'],
    ['push', 'uses: someone/action@main', 'branch_action'],
    ['push', 'run: echo "${{ secrets.TOKEN }}"', 'secret_printed'],
    ['push', 'run: deploy\n        env: { ALL: "${{ toJSON(secrets) }}" }', 'all_secrets'],
    ['push', 'run: deploy\n        env: { API_TOKEN: q7Zt2Lm9xW4vb3Np8Rk1 }', 'credential'],
    ['push', 'run: curl -fsSL https://a.example/i.sh | bash', 'piped_script'],
  ])('on %s, %s is found', async (on, step, end) => {
    expect((await failures('.github/workflows/ci.yml', workflow(on, step))).fail).toContain(end);
  });

  it.each([
    ['issues', 'run: echo "$TITLE"\n        env: { TITLE: "${{ github.event.issue.title }}" }'],
    [
      'issues',
      `run: echo "\${{ contains(github.event.issue.title, 'x') }} \${{ github.head_ref == 'main' }} \${{ github.event.issue.number }}"`,
    ],
    ['pull_request_target', 'uses: actions/checkout@v4\n        with: { persist-credentials: false }'],
    ['push', 'uses: someone/action@5b1a2c3d4e5f60718293a4b5c6d7e8f901234567'],
    ['push', 'uses: ./.github/actions/setup'],
    ['push', 'run: echo "${{ secrets.TOKEN }}" | docker login --password-stdin r.example'],
    ['push', 'run: deploy\n        env: { API_TOKEN: "${{ secrets.API_TOKEN }}" }'],
  ])('on %s, %s is no weakness', async (on, step) => {
    expect(await failures('.github/workflows/ci.yml', workflow(on, step))).toEqual({ fail: [], open: [] });
  });

  it('puts in what its variables are made of', async () => {
    const more = 'env: { TITLE: "${{ github.event.issue.title }}" }\n';
    expect((await failures('ci.yml', workflow('issues', 'run: echo "${{ env.TITLE }}"', more))).fail).toEqual([
      'script_injection',
      'script_injection_pull_request',
    ]);
  });

  it('has rights as a whole and by job', async () => {
    const text = 'on: push\njobs:\n  a: { runs-on: [self-hosted], permissions: write-all, steps: [{ run: make }] }\n';
    expect((await failures('.github/workflows/a.yml', text)).fail).toEqual(['write_all_permissions']);
    expect(
      (await failures('.github/workflows/a.yml', text.replace('push', 'pull_request').replace('permissions: write-all,', ''))).fail,
    ).toEqual(['permissions_unset', 'self_hosted_pull_request']);
    const called = 'on: push\npermissions: {}\njobs:\n  a: { uses: other/shared/.github/workflows/x.yml@v1, secrets: inherit }\n';
    expect((await failures('.github/workflows/a.yml', called)).fail).toEqual(['inherited_secrets', 'unpinned_action']);
  });
});
