// The example is a test itself.
await import('../../../examples/operator/runner-operator.test.js');
