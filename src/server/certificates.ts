/**
 * The certificates of a served cluster: an authority of its own, and what it signs for the server and for clients.
 * ECDSA over P-256 throughout, as kubeadm's `ECDSA-P256`. Clients of Go look for subject alternative names alone,
 * those of Python for a critical basicConstraints and an authority key identifier as well.
 */
// The library reads metadata that this makes known.
// oxlint-disable-next-line import/no-unassigned-import
import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

/** A certificate and its private key, both in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Signs certificates; see the file header. */
export interface Authority {
  /** The authority's own certificate in PEM. */
  readonly certificate: string;
  /** Its private key in PEM, to be kept where the authority is to be the same next time. */
  readonly key: string;
  /** For a server that is reached under these names and addresses. */
  issueServer(hosts: readonly string[]): Promise<KeyPair>;
  /** For a user: the common name, and the groups as organizations. */
  issueClient(name: string, groups: readonly string[]): Promise<KeyPair>;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

const DAY_MS = 24 * 60 * 60 * 1000;
/** As kubeadm gives an authority. */
const AUTHORITY_DAYS = 3650;
/** As kubeadm gives a certificate. */
const CERTIFICATE_DAYS = 365;

/** Makes an authority with a new key. */
export async function createAuthority(): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(AUTHORITY_DAYS),
    name: [{ CN: ['kubeloom'] }],
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return authorityOf(certificate, keys.privateKey, await keyText(keys.privateKey));
}

/** The authority that was kept. @throws Error for text that is no certificate or no key */
export async function loadAuthority({ certificate, key }: KeyPair): Promise<Authority> {
  const der = x509.PemConverter.decodeFirst(key);
  const privateKey = await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign']);
  return authorityOf(new x509.X509Certificate(certificate), privateKey, key);
}

function authorityOf(ca: x509.X509Certificate, signingKey: webcrypto.CryptoKey, key: string): Authority {
  const issue = async (subject: x509.JsonName, extensions: x509.Extension[]): Promise<KeyPair> => {
    const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    const certificate = await x509.X509CertificateGenerator.create({
      ...validity(CERTIFICATE_DAYS),
      subject,
      issuer: ca.subjectName,
      signingAlgorithm: ALGORITHM,
      signingKey,
      publicKey: keys.publicKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        await x509.AuthorityKeyIdentifierExtension.create(ca.publicKey),
        ...extensions,
      ],
    });
    return { certificate: certificateText(certificate), key: await keyText(keys.privateKey) };
  };
  return {
    certificate: certificateText(ca),
    key,
    issueServer: (hosts) =>
      issue(
        [{ CN: ['kube-apiserver'] }],
        [
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
          new x509.SubjectAlternativeNameExtension(
            hosts.map((host) => ({ type: isIP(host) === 0 ? 'dns' : 'ip', value: host })),
          ),
        ],
      ),
    issueClient: (name, groups) =>
      issue(
        [...groups.map((group) => ({ O: [group] })), { CN: [name] }],
        [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
      ),
  };
}

/** From a day ago, since clocks differ. */
function validity(days: number): { serialNumber: string; notBefore: Date; notAfter: Date } {
  const nowMs = Date.now();
  return {
    // A serial number is positive: its first bit is clear.
    serialNumber: `0${randomBytes(16).toString('hex').slice(1)}`,
    notBefore: new Date(nowMs - DAY_MS),
    notAfter: new Date(nowMs + days * DAY_MS),
  };
}

function certificateText(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

async function keyText(key: webcrypto.CryptoKey): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', key);
  return `${x509.PemConverter.encode(der, 'PRIVATE KEY')}\n`;
}
