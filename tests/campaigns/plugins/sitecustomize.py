"""Changes a served program, to test the trials themselves: Python imports this module if it is on the path.

`tests.servers.serving.changed` puts this directory on the path of a server and names functions of `builds`,
which get the application's modules when they are imported, before their first use.
"""

import importlib.machinery
import importlib.util
import os
import sys

import builds


class Loader:
    """Loads a module as its own loader does, then lets builds change it."""

    def __init__(self, loader, changes):
        self._loader, self._changes = loader, changes

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def exec_module(self, module):
        self._loader.exec_module(module)
        for change in self._changes:
            change(module)


class Finder:
    """Finds the modules that builds change."""

    def __init__(self, names):
        self._changes = {}
        for name in names:
            for module, change in builds.BUILDS[name].items():
                self._changes.setdefault(module, []).append(change)

    def find_spec(self, name, path=None, target=None):
        if name not in self._changes:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        spec.loader = Loader(spec.loader, self._changes[name])
        return spec


if os.environ.get("BUILD"):
    sys.meta_path.insert(0, Finder(os.environ["BUILD"].split()))
