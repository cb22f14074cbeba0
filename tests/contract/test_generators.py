"""What further generators make of the specification compiles strictly, and answers without a body are usable.

`test_clients.py` plays whole games with openapi-python-client and openapi-typescript.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from api.features.specification.specification import spec_yaml
from tests.servers.serving import Server
from tests.support.node import NODE_PACKAGES, run

pytestmark = [pytest.mark.long, pytest.mark.node]

HERE = Path(__file__).parent
CONFIGURATIONS = {
    "openapi-ts.config.mjs": """\
export default {
    input: "./openapi.yaml",
    output: { path: "hey", module: { extension: ".js" } },
    plugins: ["@hey-api/client-fetch"],
};
""",
    "orval.config.mjs": """\
export default { api: { input: "./openapi.yaml", output: { target: "./orval/api.ts", client: "fetch" } } };
""",
}
GENERATORS = {
    "hey": ("openapi-ts",),
    "orval": ("orval", "--config", "orval.config.mjs"),
    "swagger": (
        "swagger-typescript-api",
        "generate",
        "--path",
        "openapi.yaml",
        "--output",
        "swagger",
        "--name",
        "api.ts",
    ),
}


@pytest.mark.parametrize("name", GENERATORS)
def test_what_it_makes_compiles_and_knows_answers_without_a_body(
    name: str, server: Server, tmp_path: Path
) -> None:
    program, *words = GENERATORS[name]
    (tmp_path / "node_modules").symlink_to(NODE_PACKAGES / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module", "private": true}')
    (tmp_path / "openapi.yaml").write_text(spec_yaml())
    for file, text in CONFIGURATIONS.items():
        (tmp_path / file).write_text(text)
    (tmp_path / "client.ts").write_text((HERE / "generators" / f"{name}.ts").read_text())
    options = json.loads((HERE / "typescript" / "tsconfig.json").read_text())["compilerOptions"]
    del options["exactOptionalPropertyTypes"]  # beyond `strict`, and none of them promises it
    options["lib"] = ["es2022", "dom", "dom.iterable"]
    (tmp_path / "tsconfig.json").write_text(
        json.dumps({"compilerOptions": options, "include": ["client.ts", f"{name}/**/*.ts"]})
    )
    tools = NODE_PACKAGES / "node_modules" / ".bin"
    run(tools / program, *words, directory=tmp_path)
    run(tools / "tsc", "--project", ".", directory=tmp_path)
    said = run("node", "out/client.js", server.url, server.key, directory=tmp_path).splitlines()
    assert said == ["Anna 204 true", "/problems/not-found 404"]
