#!/bin/bash
# Installs the Debian packages that `npm run test:servers` and the server benches need. Run once per machine, as root.
set -e
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -q -y --no-install-recommends \
  ceph-mon ceph-osd radosgw ceph-common \
  nginx libnginx-mod-http-headers-more-filter varnish gcc libc6-dev \
  rclone awscli wrk curl iproute2 \
  systemd python3 shellcheck sqlite3 faketime \
  prometheus nats-server \
  golang-go golang-golang-x-mod-dev \
  chromium-headless-shell fonts-inter fonts-dejavu-core
