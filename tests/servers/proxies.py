"""The real nginx and HAProxy in front of web servers, with the files of `deploy/`."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT, free_directory, free_port
from tests.servers.sites import answers, require

DEPLOY = Path(__file__).parents[2] / "deploy"


@contextmanager
def before(kind: Callable[[Path, list[int], int], list[str]], ports: list[int]) -> Iterator[str]:
    """Yield the URL of a proxy, `nginx` or `haproxy`, in front of the web servers at two ports."""
    with free_directory() as directory:
        directory.chmod(0o755)
        certificate(directory)
        public = free_port()
        process = subprocess.Popen(kind(directory, ports, public), stdin=subprocess.DEVNULL)
        try:
            url = f"https://127.0.0.1:{public}/healthz"
            assert eventually(lambda: answers(url) or process.poll() is not None)
            assert process.poll() is None, "the proxy refused its configuration"
            yield f"https://127.0.0.1:{public}"
        finally:
            process.terminate()
            process.wait(TIMEOUT)


def certificate(directory: Path) -> None:
    """Create a certificate where the proxies' files expect one."""
    request = (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=cards.example.org"
    )
    files = "-keyout key.pem -out certificate.pem"
    program = require("openssl")
    subprocess.run(
        [program, *request.split(), *files.split()], cwd=directory, check=True, capture_output=True
    )
    both = (directory / "certificate.pem").read_text() + (directory / "key.pem").read_text()
    (directory / "both.pem").write_text(both)


def adapted(name: str, directory: Path, ports: list[int], public: int, listen: str) -> str:
    """Return a file of `deploy/` with only its ports and the place of the certificate changed."""
    text = (DEPLOY / name).read_text()
    changes = {
        "127.0.0.1:8081": f"127.0.0.1:{ports[0]}",
        "127.0.0.1:8082": f"127.0.0.1:{ports[1]}",
        "/etc/ssl/card-referee": str(directory),
        **({"/var/log/nginx": str(directory)} if name == "nginx.conf" else {}),
        listen: listen.replace(":443", f"127.0.0.1:{public}").replace(" 443", f" 127.0.0.1:{public}"),
    }
    for old, new in changes.items():
        assert old in text, f"{name} does not contain {old}"
        text = text.replace(old, new)
    return text


def nginx(directory: Path, ports: list[int], public: int) -> list[str]:
    site = adapted("nginx.conf", directory, ports, public, "listen 443 ssl")
    places = "".join(
        f"{kind}_temp_path {directory}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (directory / "site.conf").write_text(site)
    (directory / "main.conf").write_text(
        f"pid {directory}/pid; error_log stderr; daemon off;\n"
        "worker_rlimit_nofile 20000; events { worker_connections 8192; }\n"  # docs/guides/deployment.md
        f"http {{ access_log off; {places} include {directory}/site.conf; }}\n"
    )
    return [require("nginx"), "-c", str(directory / "main.conf"), "-p", str(directory)]


def haproxy(directory: Path, ports: list[int], public: int) -> list[str]:
    (directory / "haproxy.cfg").write_text(
        adapted("haproxy.cfg", directory, ports, public, "bind :443 ssl crt")
    )
    return [require("haproxy"), "-W", "-f", str(directory / "haproxy.cfg")]
