/**
 * An operator over the wire, with the Kubernetes client for Node, and three bugs to learn from. A Tenant gets one
 * Secret with its password, and one ConfigMap in the namespace `billing`; when it goes, its ConfigMap goes with it.
 *
 *     node tenant-operator.ts                 # finds the cluster by KUBECONFIG
 *     BUG=stale-read node tenant-operator.ts
 *
 * - `stale-read`: looks into its cache for the Secret, and makes one if there is none. A cache may be old.
 * - `missed-delete`: takes the ConfigMap away when it hears that the Tenant is gone, and has no finalizer: what goes
 *   while it does not listen, it never hears of.
 * - `double-create`: makes a Secret of a new name, and then writes the name into the status. A crash between the two
 *   leaves a Secret that nothing knows of, and the next process makes another.
 */
import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  ListWatch,
  PatchStrategy,
  setHeaderOptions,
  type KubernetesObject,
  Watch,
  type V1Secret,
} from '@kubernetes/client-node';

export type Bug = 'none' | 'stale-read' | 'missed-delete' | 'double-create';

interface Tenant extends KubernetesObject {
  readonly status?: { readonly secretName?: string };
}

const GROUP = { group: 'example.com', version: 'v1', namespace: 'default', plural: 'tenants' };
const TENANT = 'example.com/tenant';
const FINALIZER = 'example.com/billing';
const BILLING = 'billing';
/** Real time after which what failed is tried again, ms. */
const RETRY_MS = 30;
/** Starts it. @returns what ends it */
export async function startTenantOperator(kubeconfig: string, bug: Bug = 'none'): Promise<() => Promise<void>> {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const operator = new TenantOperator(config, bug);
  await operator.start();
  return () => operator.stop();
}

class TenantOperator {
  readonly #core: CoreV1Api;
  readonly #custom: CustomObjectsApi;
  readonly #bug: Bug;
  readonly #tenants: ListWatch<Tenant>;
  readonly #secrets: ListWatch<V1Secret>;
  readonly #queue = new Set<string>();
  #isWorking = false;
  #isStopped = false;

  constructor(config: KubeConfig, bug: Bug) {
    this.#bug = bug;
    this.#core = config.makeApiClient(CoreV1Api);
    this.#custom = config.makeApiClient(CustomObjectsApi);
    const listTenants = () => this.#custom.listNamespacedCustomObject(GROUP);
    this.#tenants = informerOf<Tenant>(config, '/apis/example.com/v1/namespaces/default/tenants', listTenants);
    const listSecrets = () => this.#core.listNamespacedSecret({ namespace: 'default', labelSelector: TENANT });
    this.#secrets = informerOf<V1Secret>(config, '/api/v1/namespaces/default/secrets', listSecrets, TENANT);
  }

  async start(): Promise<void> {
    const wake = ({ metadata }: KubernetesObject): void => this.#add(metadata?.name ?? '');
    for (const event of ['add', 'update'] as const) this.#tenants.on(event, wake);
    this.#tenants.on('delete', (tenant) => {
      if (this.#bug === 'missed-delete') void this.#unbill(tenant.metadata?.name ?? '').catch(() => wake(tenant));
    });
    this.#secrets.on('delete', ({ metadata }) => this.#add(metadata?.labels?.[TENANT] ?? ''));
    await Promise.all([this.#keep(this.#tenants), this.#keep(this.#secrets)]);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#tenants.stop(), this.#secrets.stop()]);
  }

  /** Begins to watch, and again whenever the watch ends. */
  async #keep<T extends KubernetesObject>(informer: ListWatch<T>): Promise<void> {
    const again = (): void => {
      if (!this.#isStopped) setTimeout(() => void this.#begin(informer, again), RETRY_MS);
    };
    informer.on('error', again);
    await this.#begin(informer, again);
  }

  async #begin<T extends KubernetesObject>(informer: ListWatch<T>, again: () => void): Promise<void> {
    if (!this.#isStopped) await informer.start().catch(again);
  }

  #add(name: string): void {
    this.#queue.add(name);
    if (!this.#isWorking) void this.#work();
  }

  /** Works on one tenant after the other. */
  async #work(): Promise<void> {
    this.#isWorking = true;
    for (const name of this.#queue) {
      this.#queue.delete(name);
      if (this.#isStopped) break;
      try {
        await this.#reconcile(name);
      } catch {
        setTimeout(() => this.#add(name), RETRY_MS);
      }
    }
    this.#isWorking = false;
  }

  async #reconcile(name: string): Promise<void> {
    const tenant = await ignoring(404, this.#custom.getNamespacedCustomObject({ ...GROUP, name }) as Promise<Tenant>);
    if (tenant === undefined) return;
    if (tenant.metadata?.deletionTimestamp !== undefined) {
      await this.#unbill(name);
      if (this.#bug !== 'missed-delete') await this.#patch(tenant, { metadata: { finalizers: [] } });
      return;
    }
    if (this.#bug !== 'missed-delete' && tenant.metadata?.finalizers === undefined) {
      const held = await this.#patch(tenant, { metadata: { finalizers: [FINALIZER] } });
      // It has gone meanwhile, and would leave its bill behind.
      if (held === undefined) return;
    }
    const body = { metadata: { name }, data: { tenant: name } };
    await ignoring(409, this.#core.createNamespacedConfigMap({ namespace: BILLING, body }));
    await this.#giveSecret(tenant);
  }

  async #giveSecret(tenant: Tenant): Promise<void> {
    const { name = '', uid = '' } = tenant.metadata ?? {};
    const labels = { [TENANT]: name };
    const owner = { apiVersion: 'example.com/v1', kind: 'Tenant', name, uid };
    const metadata = { labels, ownerReferences: [owner] };
    const create = (body: V1Secret) => this.#core.createNamespacedSecret({ namespace: 'default', body });
    if (this.#bug === 'stale-read') {
      const present = this.#secrets.list('default').some((secret) => secret.metadata?.labels?.[TENANT] === name);
      if (!present) await create({ metadata: { ...metadata, generateName: `${name}-` } });
    } else if (this.#bug === 'double-create') {
      if (tenant.status?.secretName !== undefined) return;
      const made = await create({ metadata: { ...metadata, generateName: `${name}-` } });
      await this.#patch(tenant, { status: { secretName: made.metadata?.name } }, 'status');
    } else await ignoring(409, create({ metadata: { ...metadata, name: `${name}-password` } }));
  }

  async #unbill(name: string): Promise<void> {
    await ignoring(404, this.#core.deleteNamespacedConfigMap({ namespace: BILLING, name }));
  }

  async #patch(tenant: Tenant, body: object, part?: 'status'): Promise<unknown> {
    const options = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
    const target = { ...GROUP, name: tenant.metadata?.name ?? '', body };
    return ignoring<unknown>(
      404,
      part === 'status'
        ? this.#custom.patchNamespacedCustomObjectStatus(target, options)
        : this.#custom.patchNamespacedCustomObject(target, options),
    );
  }
}

/** The client itself waits up to 30 s before it watches again, in real time, for which simulated time stands still. */
function informerOf<T extends KubernetesObject>(
  config: KubeConfig,
  path: string,
  list: ConstructorParameters<typeof ListWatch<T>>[2],
  selector?: string,
): ListWatch<T> {
  return new ListWatch<T>(path, new Watch(config), list, false, selector, undefined, { delayFn: retryDelay });
}

function retryDelay(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, RETRY_MS));
}

/** What has happened already is as good. */
async function ignoring<T>(code: number, request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if ((error as { readonly code?: number }).code === code) return undefined;
    throw error;
  }
}

if ((process.argv[1] ?? '').endsWith('tenant-operator.ts') && process.env['KUBECONFIG'] !== undefined) {
  const config = new KubeConfig();
  config.loadFromFile(process.env['KUBECONFIG']);
  await startTenantOperator(config.exportConfig(), process.env['BUG'] as Bug | undefined);
}
