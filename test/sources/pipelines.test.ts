import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { load, loadAll } from 'js-yaml';
import { z } from 'zod';
import { checkOptions, OPTIONS } from '../../cli/check/options.js';
import { folderOf } from './folder.js';

const ROOT = join(__dirname, '../..');
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const inputs = z.record(z.string(), z.strictObject({ description: z.string().optional(), default: z.string().optional() }));

/** Takes arguments as the command does. @throws where it would refuse them */
function taken(args: readonly string[]): { paths: string[]; options: ReturnType<typeof checkOptions> } {
  const { values, positionals, tokens } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, tokens: true });
  const given = tokens.flatMap((token) =>
    token.kind === 'option' && token.value !== undefined ? [{ name: token.name, value: token.value }] : [],
  );
  return { paths: positionals, options: checkOptions(values, given, {}) };
}

describe('the action of GitHub', () => {
  const action = z
    .strictObject({
      name: z.string(),
      description: z.string(),
      branding: z.strictObject({ icon: z.string(), color: z.string() }),
      inputs,
      runs: z.strictObject({
        using: z.literal('composite'),
        steps: z.array(
          z.strictObject({
            name: z.string(),
            shell: z.literal('bash'),
            run: z.string(),
            'working-directory': z.string().optional(),
            env: z.record(z.string(), z.string()).optional(),
          }),
        ),
      }),
    })
    .parse(load(read('action.yml')));
  const check = action.runs.steps.at(-1)!;

  /** Runs its last step with inputs, over a command that writes down its arguments and ends with a code. */
  function run(given: Readonly<Record<string, string>>, code = 0): { status: number | null; args: string[]; summary: string } {
    const folder = folderOf({
      'dist/main.js': `const fs = require('node:fs');
const args = process.argv.slice(2);
fs.writeFileSync(process.env.RUNNER_TEMP + '/args.json', JSON.stringify(args));
fs.writeFileSync(args[args.indexOf('markdown') + 2], '# told');
process.exit(${code});\n`,
    });
    const env = Object.entries(check.env!).map(([name, text]) => {
      const filled = text.replaceAll(/\$\{\{ (inputs|github)\.([\w-]+) \}\}/g, (_, from: string, input: string) =>
        from === 'github' ? folder : (given[input] ?? action.inputs[input]!.default!),
      );
      return [name, filled] as const;
    });
    const { status, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', check.run], {
      env: { PATH: process.env['PATH'], ...Object.fromEntries(env), RUNNER_TEMP: folder, GITHUB_STEP_SUMMARY: join(folder, 'summary') },
      encoding: 'utf8',
    });
    if (!existsSync(join(folder, 'args.json'))) throw new Error(stderr);
    const args = JSON.parse(readFileSync(join(folder, 'args.json'), 'utf8')) as string[];
    return { status, args, summary: readFileSync(join(folder, 'summary'), 'utf8') };
  }

  it('checks the whole repository when nothing is said, and passes on what the command ends with', () => {
    const { status, args, summary } = run({}, 3);
    expect([status, args[0], summary]).toEqual([3, 'check', '# told']);
    const { paths, options } = taken(args.slice(1));
    expect([paths, options.failOn, options.changedSince, options.strict]).toEqual([['.'], 'medium', undefined, false]);
    expect(options.outputs).toEqual([
      { format: 'markdown', file: expect.stringContaining('palisade-check.md') },
      { format: 'github', file: undefined },
    ]);
  });

  it('hands each input on as it is, whatever stands in it', () => {
    const given = {
      paths: 'infra\na b/$(touch x)\n',
      'fail-on': 'none',
      'changed-since': 'origin/main',
      rules: 'open_port\naws.*',
      skip: 'tags',
      'var-files': 'prod.tfvars',
      'helm-values': 'prod.yaml',
      baseline: 'known.json',
      strict: 'true',
      'allow-empty': 'true',
      sarif: 'out.sarif',
    };
    expect(Object.keys(given).sort()).toEqual(Object.keys(action.inputs).sort());
    const { paths, options } = taken(run(given).args.slice(1));
    expect(paths).toEqual(['infra', 'a b/$(touch x)']);
    expect(options).toMatchObject({
      failOn: undefined,
      changedSince: 'origin/main',
      only: ['open_port', 'aws.*'],
      without: ['tags'],
      variableFiles: ['prod.tfvars'],
      chartValues: ['prod.yaml'],
      baseline: 'known.json',
      strict: true,
      allowEmpty: true,
    });
    expect(options.outputs[0]).toEqual({ format: 'sarif', file: 'out.sarif' });
  });

  it('builds the command where it stands, by scripts that the package has', () => {
    const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read('package.json')));
    const [build] = action.runs.steps;
    expect(build!['working-directory']).toBe('${{ github.action_path }}');
    expect(Object.keys(scripts)).toContain(/npm run (\w+)/.exec(build!.run)![1]);
  });
});

it('the template of GitLab runs the command of the image, and keeps the reports that it writes', () => {
  const [head, jobs] = loadAll(read('.gitlab/palisade-check.yml')) as [unknown, unknown];
  const { spec } = z.strictObject({ spec: z.strictObject({ inputs }) }).parse(head);
  const filled: unknown = JSON.parse(
    JSON.stringify(jobs).replaceAll(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, name: string) => spec.inputs[name]!.default ?? `given-${name}`),
  );
  const job = z
    .strictObject({
      'palisade-check': z.strictObject({
        stage: z.literal('test'),
        image: z.strictObject({ name: z.literal('given-image'), entrypoint: z.tuple([z.literal('')]) }),
        script: z.tuple([z.string()]),
        artifacts: z.strictObject({ when: z.literal('always'), reports: z.strictObject({ codequality: z.string(), junit: z.string() }) }),
      }),
    })
    .parse(filled)['palisade-check'];
  const words = execFileSync('bash', ['-c', `printf '%s\\n' ${job.script[0]}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n');
  expect(words.slice(0, 3)).toEqual(['node', '/app/dist/main.js', 'check']);
  expect(read('Dockerfile')).toContain('WORKDIR /app');
  const { paths, options } = taken(words.slice(3));
  expect([paths, options.failOn]).toEqual([['.'], 'medium']);
  const { codequality, junit } = job.artifacts.reports;
  expect(options.outputs.slice(0, 2)).toEqual([
    { format: 'gitlab', file: codequality },
    { format: 'junit', file: junit },
  ]);
});

it('the hook of pre-commit runs the command that the package installs over what a commit changes', () => {
  const [hook] = z
    .tuple([
      z.strictObject({
        id: z.string(),
        name: z.string(),
        description: z.string(),
        entry: z.string(),
        args: z.array(z.string()),
        language: z.literal('node'),
        files: z.string(),
        pass_filenames: z.literal(false),
        require_serial: z.literal(true),
      }),
    ])
    .parse(load(read('.pre-commit-hooks.yaml')));
  const { bin } = z.object({ bin: z.record(z.string(), z.string()) }).parse(JSON.parse(read('package.json')));
  const [name, ...words] = hook.entry.split(' ');
  expect([Object.keys(bin), words]).toEqual([[name], ['check']]);
  expect(taken(hook.args)).toMatchObject({ paths: ['.'], options: { changedSince: 'HEAD', allowEmpty: true } });
  const files = ['a/main.tf', 'main.tf.json', 'prod.auto.tfvars', 'stack.template', 'k8s/web.yml', 'README.md', 'main.tfx'];
  expect(files.map((file) => new RegExp(hook.files).test(file))).toEqual([true, true, true, true, true, false, false]);
});
