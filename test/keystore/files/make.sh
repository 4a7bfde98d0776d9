#!/bin/sh
# Makes the keystores of this directory anew, with keytool (Java 17 or later) and openssl (3.0 or later):
#   sh test/keystore/files/make.sh
# They are valid for a hundred years, but for those that must not be. Passwords are `changeit`, unless the name says more.
set -eu
cd "$(dirname "$0")"
rm -f ./*.p12 ./*.jks ./*.jceks ./*.pem ./*.key
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
days=36500
names='subjectAltName=DNS:localhost,IP:127.0.0.1'
quiet() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }

# --- by openssl: a root, an intermediate and a server certificate
ec='-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
quiet openssl req -x509 $ec -keyout "$work/root.key" -out "$work/root.pem" -days $days -subj '/CN=test root'
issue() { # name, signer, extension
  quiet openssl req $ec -keyout "$work/$1.key" -out "$work/$1.csr" -subj "/CN=$1"
  echo "$3" >"$work/ext"
  quiet openssl x509 -req -in "$work/$1.csr" -CA "$work/$2.pem" -CAkey "$work/$2.key" -set_serial "0x01$(printf %s "$1" | od -An -tx1 | tr -d ' \n')" \
    -days $days -extfile "$work/ext" -out "$work/$1.pem"
}
issue intermediate root 'basicConstraints=critical,CA:TRUE'
issue localhost intermediate "$names"
cat "$work/intermediate.pem" "$work/root.pem" >"$work/others.pem"

p12() { # output, further options
  output=$1; shift
  quiet openssl pkcs12 -export -inkey "$work/localhost.key" -in "$work/localhost.pem" -certfile "$work/others.pem" \
    -name server -out "$output" "$@"
}
p12 openssl.p12 -passout pass:changeit
p12 openssl-legacy.p12 -legacy -passout pass:changeit
p12 openssl-rc2-128.p12 -legacy -certpbe PBE-SHA1-RC2-128 -keypbe PBE-SHA1-RC2-128 -passout pass:changeit
p12 openssl-3des.p12 -certpbe PBE-SHA1-3DES -keypbe PBE-SHA1-3DES -macalg sha1 -passout pass:changeit
p12 openssl-2des.p12 -certpbe PBE-SHA1-2DES -keypbe PBE-SHA1-2DES -passout pass:changeit
p12 openssl-aes128-sha512.p12 -certpbe AES-128-CBC -keypbe AES-192-CBC -macalg sha512 -passout pass:changeit
p12 openssl-rc4.p12 -legacy -certpbe PBE-SHA1-RC4-128 -keypbe PBE-SHA1-RC4-128 -passout pass:changeit
p12 no-mac.p12 -nomac -passout pass:changeit
p12 no-mac-rc2.p12 -nomac -legacy -passout pass:changeit
p12 not-encrypted.p12 -nomac -keypbe NONE -certpbe NONE -passout pass:
p12 empty-password.p12 -passout pass:
p12 empty-password-legacy.p12 -legacy -passout pass:
p12 other-letters.p12 -passout 'pass:pässwörd€𝄞'
p12 other-letters-legacy.p12 -legacy -passout 'pass:pässwörd€𝄞'
quiet openssl pkcs12 -export -inkey "$work/localhost.key" -in "$work/localhost.pem" -out no-name.p12 -passout pass:changeit
node make-variants.mjs openssl.p12

# --- PEM
cat "$work/localhost.key" "$work/localhost.pem" "$work/others.pem" >combined.pem
cat "$work/root.pem" "$work/intermediate.pem" "$work/localhost.pem" "$work/localhost.key" >shuffled.pem
cat "$work/localhost.pem" "$work/others.pem" >chain.pem
cp "$work/localhost.key" server.key
quiet openssl pkcs8 -topk8 -in "$work/localhost.key" -v2 aes-256-cbc -passout pass:changeit -out encrypted-pbes2.key
quiet openssl pkcs8 -topk8 -in "$work/localhost.key" -v1 PBE-SHA1-3DES -passout pass:changeit -out encrypted-3des.key
quiet openssl pkcs8 -topk8 -in "$work/localhost.key" -scrypt -passout pass:changeit -out encrypted-scrypt.key
quiet openssl ec -in "$work/localhost.key" -aes256 -passout pass:changeit -out encrypted-header.key
{ openssl ecparam -name prime256v1; openssl ec -in "$work/localhost.key" 2>/dev/null; } >ec-parameters.key
cat encrypted-pbes2.key "$work/localhost.pem" "$work/others.pem" >combined-encrypted.pem
issue other root "$names"
cat "$work/other.key" "$work/localhost.pem" >stranger.pem

# --- certificates that clients refuse
quiet openssl req -x509 -newkey rsa:1024 -nodes -keyout "$work/weak.key" -out "$work/weak.pem" -days $days -sha1 -subj '/CN=weak'
cat "$work/weak.pem" "$work/weak.key" >weak.pem
quiet openssl req -x509 -newkey rsa:512 -nodes -keyout "$work/tiny.key" -out "$work/tiny.pem" -days $days -subj '/CN=tiny'
cat "$work/tiny.pem" "$work/tiny.key" >tiny.pem
quiet openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:secp256k1 -nodes -keyout "$work/curve.key" -out "$work/curve.pem" \
  -days $days -subj '/CN=curve'
cat "$work/curve.pem" "$work/curve.key" >curve.pem
quiet openssl req $ec -keyout "$work/expired.key" -out "$work/expired.csr" -subj '/CN=expired'
quiet openssl x509 -req -in "$work/expired.csr" -signkey "$work/expired.key" -days -1 -out "$work/expired.pem"
cat "$work/expired.pem" "$work/expired.key" >expired.pem

# --- by keytool
pair() { # keystore, alias, algorithm options
  store=$1; alias=$2; shift 2
  quiet keytool -genkeypair -keystore "$store" -alias "$alias" -validity $days -dname "CN=$alias" -storepass changeit \
    -ext SAN=dns:localhost,ip:127.0.0.1 "$@"
}
ecKey='-keyalg EC -groupname secp256r1'
pair keytool-ec.p12 server -storetype PKCS12 $ecKey
pair keytool-rsa.p12 server -storetype PKCS12 -keyalg RSA -keysize 2048
pair keytool-ed25519.p12 server -storetype PKCS12 -keyalg Ed25519
pair keytool-legacy.p12 server -J-Dkeystore.pkcs12.legacy -storetype PKCS12 $ecKey
pair dsa.p12 server -storetype PKCS12 -keyalg DSA -keysize 2048
pair two-keys.p12 first -storetype PKCS12 $ecKey
pair two-keys.p12 Second $ecKey
pair key-and-secret.p12 server -storetype PKCS12 $ecKey
quiet keytool -genseckey -keystore key-and-secret.p12 -alias aes -keyalg AES -keysize 128 -storepass changeit
pair rsa.jks server -storetype JKS -keyalg RSA -keysize 2048
pair ec.jks server -storetype JKS $ecKey
pair two-keys.jks first -storetype JKS $ecKey -keypass changeit
pair two-keys.jks second $ecKey -keypass changeit
pair two-passwords.jks first -storetype JKS $ecKey -keypass different
pair two-passwords.jks second $ecKey -keypass changeit
pair other-key-password.jks server -storetype JKS $ecKey -keypass different
quiet keytool -importkeystore -srckeystore openssl.p12 -srcstorepass changeit -destkeystore chain.jks \
  -deststoretype JKS -deststorepass changeit
quiet keytool -importcert -noprompt -keystore chain.jks -storepass changeit -alias root -file "$work/root.pem"
pair ec.jceks server -storetype JCEKS $ecKey
quiet keytool -genseckey -keystore secret-first.jceks -storetype JCEKS -alias a-secret -keyalg AES -keysize 128 -storepass changeit
pair secret-first.jceks server -storetype JCEKS $ecKey
quiet keytool -importcert -noprompt -keystore truststore.p12 -storetype PKCS12 -storepass changeit -alias root -file "$work/root.pem"
quiet keytool -importcert -noprompt -keystore truststore.jks -storetype JKS -storepass changeit -alias root -file "$work/root.pem"
chmod 644 ./*.p12 ./*.jks ./*.jceks ./*.pem ./*.key
