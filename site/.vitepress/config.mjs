import { defineConfig } from 'vitepress';

const docs = (...pages) => pages.map(([text, name]) => ({ text, link: `/docs/${name}` }));

export default defineConfig({
  title: 'kubeloom',
  description: 'A Kubernetes control plane inside a program.',
  srcDir: '.pages',
  lastUpdated: false,
  themeConfig: {
    search: { provider: 'local' },
    sidebar: [
      {
        text: 'Tutorials',
        items: [
          { text: 'Tune a scheduler', link: '/tutorials/scheduler' },
          { text: 'Write an operator', link: '/tutorials/operator' },
          { text: 'Test under load', link: '/tutorials/load' },
          { text: 'Rehearse a lost zone', link: '/tutorials/lost-zone' },
        ],
      },
      {
        text: 'How to',
        items: [
          ...docs(
            ['Serve a cluster to kubectl', 'serving'],
            ['Use the command line', 'command-line'],
            ['Write scenarios', 'scenarios'],
            ['Make things go wrong', 'faults'],
            ['Ask the scheduler', 'scheduler'],
            ['Write a controller', 'controllers'],
            ['Await real time', 'real-time'],
            ['Look at the actors', 'actors'],
            ['Host a cluster on a thread', 'hosting'],
            ['Say what containers do', 'container-scripts'],
            ['Give nodes GPUs', 'dynamic-resources'],
            ['Play stages of kwok', 'stages'],
            ['Run programs in containers', 'containers'],
            ['Compare variants', 'compare'],
            ['Sweep many variants', 'sweep'],
            ['Measure a run', 'measurements'],
            ['Play load tests', 'load'],
          ),
          { text: 'Load-test with Artillery', link: '/artillery' },
          ...docs(
            ['Start from your cluster', 'import'],
            ['Replay what happened', 'replay'],
            ['Scale by load', 'autoscaling'],
            ['Ask webhooks and policies', 'webhooks'],
            ['Bring custom resources', 'custom-resources'],
            ['Search for broken promises', 'fuzz'],
            ['Testing operators', 'testing-operators'],
          ),
        ],
      },
      {
        text: 'Concepts',
        items: [
          { text: 'Time, determinism, faults', link: '/concepts' },
          ...docs(
            ['Pods and nodes', 'pods'],
            ['Replicas and delays', 'control-plane'],
            ['What is guaranteed', 'guarantees'],
            ['What is proven', 'fidelity'],
            ['Conformance tests', 'conformance'],
            ['What is not modelled', 'not-modelled'],
            ['What we chose', 'choices'],
            ['Admission', 'admission'],
            ['State machines', 'machines'],
            ['Benchmarks', 'benches'],
          ),
          { text: 'Architecture', link: '/architecture' },
        ],
      },
      {
        text: 'Reference',
        items: [
          { text: 'Command line', link: '/reference/cli' },
          ...docs(['Files and their schemas', 'schemas']),
          { text: 'API', link: '/api/' },
          { text: 'The whole README', link: '/readme' },
          { text: 'Changes', link: '/changelog' },
        ],
      },
    ],
  },
});
